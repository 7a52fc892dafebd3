"""A seccomp filter, by which a Linux process gives up system calls for good. Called through ctypes.

The filter lists what is refused. A list of what is allowed would break with the next version of a C library; what is
newer than this list is answered as a kernel that does not know it would.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

_SET_SECCOMP, _FILTER = 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Instructions of the filter: load a word, compare it, test its bits, end."""
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where they stand in what the filter sees of a call."""
_NEWER = 463
"""The first number that this list does not know; those of another ABI of the machine (x32) are higher, too."""
_CLONE_THREAD = 0x10000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

_REFUSED = {
    # the network
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # other programs and processes
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "kcmp": (312, 272), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "setsid": (112, 157), "setpgid": (109, 154), "setpriority": (141, 140),
    "sched_setscheduler": (144, 119), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setaffinity": (203, 122), "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
    # memory that outlives the process or is counted nowhere
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190), "semctl": (66, 191), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    # names and attributes of files, of which Landlock leaves some out
    "creat": (85, -1), "truncate": (76, 45), "ftruncate": (77, 46), "rename": (82, -1), "renameat": (264, 38),
    "renameat2": (316, 276), "unlink": (87, -1), "unlinkat": (263, 35), "mkdir": (83, -1), "mkdirat": (258, 34),
    "rmdir": (84, -1), "link": (86, -1), "linkat": (265, 37), "symlink": (88, -1), "symlinkat": (266, 36),
    "mknod": (133, -1), "mknodat": (259, 33), "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53),
    "fchmodat2": (452, 452), "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54),
    "utime": (132, -1), "utimes": (235, -1), "utimensat": (280, 88), "futimesat": (261, -1), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262), "inotify_init": (253, -1), "inotify_init1": (294, 26),
    # the system
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "move_mount": (429, 429),
    "open_tree": (428, 428), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "io_setup": (206, 0), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116),
    "personality": (135, 92), "iopl": (172, -1), "ioperm": (173, -1), "modify_ldt": (154, -1),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
}  # fmt: skip
"""Name -> its number on x86_64 and on aarch64; -1 where there is none."""
_UNKNOWN = {
    "clone3": (435, 435),
    "openat2": (437, 437),
    "close_range": (436, 436),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
"""Answered as by a kernel without them: their arguments cannot be seen, and all who call them know an older way."""


class _Machine(NamedTuple):
    """An architecture that this filter knows."""

    column: int
    audit: int
    """The kernel's number of it."""
    foreign: int
    """That of its 32-bit ABI, all of which is refused: the numbers of its calls are others."""
    clone: int
    kill: int
    tgkill: int
    prlimit: int
    open: int
    openat: int
    close: int
    dup2: int
    dup3: int
    fcntl: int
    ioctl: int


_MACHINES = {
    "x86_64": _Machine(0, 0xC000003E, 0x40000003, 56, 62, 234, 302, 2, 257, 3, 33, 292, 72, 16),
    "aarch64": _Machine(1, 0xC00000B7, 0x40000028, 220, 129, 131, 261, -1, 56, 57, -1, 24, 25, 29),
}


def restrict(lifeline: int) -> bool:
    """Refuse the calls of this list from now on; False where the kernel or the architecture does not allow it.
    `lifeline` is a descriptor that must stay as it is. `no_new_privs` must be set."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None or struct.calcsize("P") != 8:
        return False
    instructions = list(_program(machine, os.getpid(), lifeline))
    code = b"".join(struct.pack("=HBBI", *one) for one in instructions)
    program = _Program(len(instructions), code)
    library = ctypes.CDLL(None)
    return not library.prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(program), 0, 0) and _holds(library)


def _holds(library: ctypes.CDLL) -> bool:
    """Whether the filter does what it should: it is tried on a socket."""
    opened: int = library.socket(1, 1, 0)
    if opened >= 0:
        os.close(opened)
    return opened < 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


Instruction = tuple[int, int, int, int]
"""Operation, steps forward where it is true, where it is false, and its number."""


def _program(machine: _Machine, process: int, lifeline: int) -> Iterator[Instruction]:
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield from _on(machine.foreign, [_refuse(errno.EPERM)])
    yield _EQUAL, 1, 0, machine.audit
    yield _ALLOWED  # a program that is translated, whose calls are another machine's: `_holds` says so
    yield _LOAD, 0, 0, _NUMBER
    yield _AT_LEAST, 0, 1, _NEWER
    yield _refuse(errno.ENOSYS)
    for calls, error in ((_REFUSED, errno.EPERM), (_UNKNOWN, errno.ENOSYS)):
        for numbers in calls.values():
            yield from _on(numbers[machine.column], [_refuse(error)])
    for call in (machine.kill, machine.tgkill):
        yield from _on(call, _only(0, process))
    yield from _on(machine.prlimit, _only(0, 0, process))
    yield from _on(machine.clone, [*_bits(0, _CLONE_THREAD), _refuse(errno.EPERM), _ALLOWED])
    yield from _on(machine.open, [*_bits(1, _WRITING), _ALLOWED, _refuse(errno.EACCES)])
    yield from _on(machine.openat, [*_bits(2, _WRITING), _ALLOWED, _refuse(errno.EACCES)])
    if lifeline >= 0:
        for call in (machine.close, machine.fcntl, machine.ioctl):
            yield from _on(call, _never(0, lifeline))
        for call in (machine.dup2, machine.dup3):
            yield from _on(call, _never(1, lifeline))
    yield _ALLOWED


_ALLOWED: Instruction = (_RETURN, 0, 0, _ALLOW)


def _refuse(error: int) -> Instruction:
    return _RETURN, 0, 0, _ERRNO | error


def _on(call: int, steps: list[Instruction]) -> list[Instruction]:
    """These steps, which end the filter, for one system call."""
    return [(_EQUAL, 0, len(steps), call), *steps] if call >= 0 else []


def _only(argument: int, *values: int) -> list[Instruction]:
    """Allow some values of an argument. Its lower half counts: all that are looked at are of 32 bits."""
    tests = [(_EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), *tests, _refuse(errno.EPERM), _ALLOWED]


def _never(argument: int, value: int) -> list[Instruction]:
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_EQUAL, 0, 1, value), _refuse(errno.EPERM), _ALLOWED]


def _bits(argument: int, bits: int) -> list[Instruction]:
    """Go to the step after the next where one of these bits is set, else to the next."""
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_ANY_BIT, 1, 0, bits)]
