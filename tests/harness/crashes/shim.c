/* Counts every system call of this process that changes files below a folder, journals it, and ends the process at the
 * n-th.
 *
 * A seccomp filter traps those calls, wherever they come from: the C library, its buffered FILEs, Rust code that makes
 * system calls by itself. (Functions interposed with LD_PRELOAD would miss the last two: tantivy and LanceDB rename
 * through such calls.) The handler of the trap makes the call itself, from the one instruction that the filter lets
 * pass. What it cannot see are stores into memory that is mapped from a file: it journals such mappings, and the whole
 * file whenever that is synced.
 *
 * One lock is held over each call below the folder and its record, so the journal has the order of the calls. Only
 * functions that are safe in a signal handler are used; the filter stays until the process ends.
 *
 * Linux on x86-64.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* The same numbers as in shim.py. */
enum kind {
  MARK = 0,      /* something the program said */
  DIED = 1,      /* the operation before which the process was ended */
  WRITE = 2,     /* data at an offset of an inode */
  TRUNCATE = 3,  /* an inode has `offset` bytes from now on */
  SYNC = 4,      /* an inode, or the entries of a folder, are on the disk */
  CREATE = 5,    /* a new inode under a path */
  MKDIR = 6,
  RENAME = 7,
  LINK = 8,
  UNLINK = 9,
  RMDIR = 10,
  MAPPED = 11,   /* an inode may change without a call from now on */
  CONTENT = 12,  /* all that an inode holds, at a sync of one that is mapped */
  FLUSH = 13,    /* a range is on its way to the disk, but nothing was promised: sync_file_range, msync(MS_ASYNC) */
  UNKNOWN = 14,  /* a call that this file cannot follow, such as io_uring's */
  REFUSED = 15,  /* an operation that the system refused: nothing happened */
};

struct record {
  uint32_t kind;
  uint32_t counted; /* 1 for an operation, 0 for a remark about one */
  uint64_t inode;
  uint64_t offset;
  uint32_t path;    /* sizes of what follows */
  uint32_t other;
  uint64_t data;
};

static char root[PATH_MAX];
static size_t root_size;
static int journal = -1;
static long die_at, seen;
static int torn, with_data;
static volatile int lock;

#define MAPPINGS 1024
static struct mapping {
  uintptr_t start, end;
  uint64_t inode;
  char path[512];
} mappings[MAPPINGS];
static int mapped;

/* The only instruction that the filter lets pass. */
long shim_call(long number, long a, long b, long c, long d, long e, long f);
extern char shim_after[];
__asm__(".text\n"
        ".globl shim_call\n"
        "shim_call:\n"
        "  movq %rdi, %rax\n  movq %rsi, %rdi\n  movq %rdx, %rsi\n  movq %rcx, %rdx\n"
        "  movq %r8, %r10\n  movq %r9, %r8\n  movq 8(%rsp), %r9\n"
        "  syscall\n"
        ".globl shim_after\n"
        "shim_after:\n"
        "  ret\n");

static void take(void) {
  while (__sync_lock_test_and_set(&lock, 1)) shim_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static void give(void) { __sync_lock_release(&lock); }

static void put(const void *data, size_t size) {
  const char *at = data;
  while (size) {
    long done = shim_call(SYS_write, journal, (long)at, (long)size, 0, 0, 0);
    if (done == -EINTR) continue;
    if (done <= 0) shim_call(SYS_exit_group, 99, 0, 0, 0, 0, 0); /* no room for the journal: nothing it says holds */
    at += done;
    size -= (size_t)done;
  }
}

static void note(int kind, int counted, uint64_t inode, uint64_t offset, const char *path, const char *other,
                 uint64_t data) {
  struct record made = {(uint32_t)kind, (uint32_t)counted, inode, offset, (uint32_t)strlen(path),
                        (uint32_t)strlen(other), data};
  put(&made, sizeof made);
  put(path, made.path);
  put(other, made.other);
}

static uint64_t inode_of(int fd) {
  struct stat about;
  return shim_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) ? 0 : about.st_ino;
}

static uint64_t size_of(int fd) {
  struct stat about;
  return shim_call(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) ? 0 : (uint64_t)about.st_size;
}

static int below(const char *path) {
  return strncmp(path, root, root_size) == 0 && (path[root_size] == '/' || path[root_size] == 0);
}

static void decimal(char *to, unsigned value) {
  char digits[12];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count) *to++ = digits[--count];
  *to = 0;
}

static void link_of(int fd, char *to) {
  strcpy(to, "/proc/self/fd/");
  decimal(to + strlen(to), (unsigned)fd);
}

/* The path behind a descriptor; whether it is below the root. */
static int path_of(int fd, char *path) {
  char name[40];
  if (fd < 0) return 0;
  link_of(fd, name);
  long size = shim_call(SYS_readlink, (long)name, (long)path, PATH_MAX - 1, 0, 0, 0);
  path[size > 0 ? size : 0] = 0;
  return size > 0 && below(path);
}

/* A path as the kernel would find it, without `.`, `..` and doubled slashes; whether it is below the root. */
static int resolve(int folder, const char *given, char *path) {
  size_t size = 0;
  path[0] = 0;
  if (given == NULL) return 0;
  if (given[0] != '/') {
    if (folder == AT_FDCWD) {
      if (shim_call(SYS_getcwd, (long)path, PATH_MAX, 0, 0, 0, 0) <= 0) return 0;
    } else {
      path_of(folder, path);
    }
    size = strlen(path);
  }
  while (*given) {
    size_t part = strcspn(given, "/");
    if (part == 2 && given[0] == '.' && given[1] == '.') {
      while (size && path[--size] != '/') {}
    } else if (part && !(part == 1 && given[0] == '.')) {
      if (size + part + 2 > PATH_MAX) return 0;
      path[size++] = '/';
      memcpy(path + size, given, part);
      size += part;
    }
    given += part;
    if (*given == '/') given++;
  }
  path[size] = 0;
  return below(path);
}

static int there(const char *path, struct stat *about) { return shim_call(SYS_lstat, (long)path, (long)about, 0, 0, 0, 0) == 0; }

/* Count an operation; true where the process has to end here. */
static int last(int kind, uint64_t inode, const char *path) {
  seen++;
  if (seen != die_at) return 0;
  note(DIED, 0, inode, (uint64_t)kind, path, "", 0);
  return 1;
}

static void die(void) {
  shim_call(SYS_kill, shim_call(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
  for (;;) shim_call(SYS_pause, 0, 0, 0, 0, 0, 0);
}

/* The bytes of a file that were just changed by a call that had none of its own. */
static void read_back(int kind, int counted, int fd, uint64_t inode, uint64_t offset, uint64_t size, const char *path) {
  char name[40], bytes[16384];
  link_of(fd, name);
  int copy = (int)shim_call(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (copy < 0) {
    note(UNKNOWN, counted, inode, offset, path, "cannot be read back", 0);
    return;
  }
  note(kind, counted, inode, offset, path, "", with_data ? size : 0);
  while (with_data && size) {
    size_t most = size < sizeof bytes ? size : sizeof bytes;
    long got = shim_call(SYS_pread64, copy, (long)bytes, (long)most, (long)offset, 0, 0);
    if (got <= 0) {
      memset(bytes, 0, most);
      got = (long)most;
    }
    put(bytes, (size_t)got);
    offset += (uint64_t)got;
    size -= (uint64_t)got;
  }
  shim_call(SYS_close, copy, 0, 0, 0, 0, 0);
}

/* Where the bytes went that a call at the file's own position has written. */
static uint64_t position_after(int fd, uint64_t written) {
  if (shim_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_APPEND) return size_of(fd) - written;
  return (uint64_t)shim_call(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0) - written;
}

static size_t total(const struct iovec *parts, long count) {
  size_t size = 0;
  for (long i = 0; i < count; i++) size += parts[i].iov_len;
  return size;
}

/* `parts`, cut to the first `most` bytes. */
static long first_of(const struct iovec *parts, long count, size_t most, struct iovec *cut) {
  long used = 0;
  for (; used < count && used < 64 && most; used++) {
    cut[used] = parts[used];
    if (cut[used].iov_len > most) cut[used].iov_len = most;
    most -= cut[used].iov_len;
  }
  return used;
}

/* All calls that write from memory, as one: pwritev2 with the offset -1 writes at the file's own position. */
static long do_write(long number, const long *a, const struct iovec *parts, long count, long offset) {
  char path[PATH_MAX];
  int fd = (int)a[0];
  long flags = number == SYS_pwritev2 ? a[5] : 0;
  if (!path_of(fd, path)) return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  uint64_t inode = inode_of(fd);
  if (last(WRITE, inode, path)) {
    size_t half = total(parts, count) / 2;
    if (torn && half) {
      struct iovec cut[64];
      shim_call(SYS_pwritev2, fd, (long)cut, first_of(parts, count, half, cut), offset, 0, flags);
    }
    die();
  }
  long written = shim_call(SYS_pwritev2, fd, (long)parts, count, offset, 0, flags);
  if (written > 0) {
    uint64_t at = offset == -1 ? position_after(fd, (uint64_t)written) : (uint64_t)offset;
    note(WRITE, 1, inode, at, path, "", with_data ? (uint64_t)written : 0);
    size_t left = with_data ? (size_t)written : 0;
    for (long i = 0; i < count && left; i++) {
      size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
      put(parts[i].iov_base, size);
      left -= size;
    }
  } else {
    note(REFUSED, 1, inode, 0, path, "", 0);
  }
  give();
  return written;
}

/* copy_file_range, sendfile, splice: `offset` points to where in the file, or is NULL for its own position. */
static long do_copy(long number, const long *a, int fd, const int64_t *offset) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  uint64_t inode = inode_of(fd);
  if (last(WRITE, inode, path)) die();
  uint64_t at = offset ? (uint64_t)*offset : 0;
  long written = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (written > 0) read_back(WRITE, 1, fd, inode, offset ? at : position_after(fd, (uint64_t)written), (uint64_t)written, path);
  else note(REFUSED, 1, inode, 0, path, "", 0);
  give();
  return written;
}

/* Calls that leave a file with another size, or may. */
static long do_resize(long number, const long *a, int fd) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  uint64_t inode = inode_of(fd);
  if (last(TRUNCATE, inode, path)) die();
  long result = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  note(result ? REFUSED : TRUNCATE, 1, inode, size_of(fd), path, "", 0);
  if (result == 0 && number == SYS_fallocate && a[1] & ~FALLOC_FL_KEEP_SIZE)
    read_back(CONTENT, 0, fd, inode, 0, size_of(fd), path); /* a hole was punched, or a range moved */
  give();
  return result;
}

static long do_truncate(const char *given, long size) {
  char path[PATH_MAX];
  struct stat about = {0};
  if (!resolve(AT_FDCWD, given, path)) return shim_call(SYS_truncate, (long)given, size, 0, 0, 0, 0);
  take();
  there(path, &about);
  if (last(TRUNCATE, about.st_ino, path)) die();
  long result = shim_call(SYS_truncate, (long)given, size, 0, 0, 0, 0);
  note(result ? REFUSED : TRUNCATE, 1, about.st_ino, (uint64_t)size, path, "", 0);
  give();
  return result;
}

static int is_mapped(uint64_t inode) {
  for (int i = 0; i < mapped; i++)
    if (mappings[i].inode == inode) return 1;
  return 0;
}

static long do_sync(long number, const long *a, int fd) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  uint64_t inode = inode_of(fd);
  if (last(SYNC, inode, path)) die();
  long result = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (is_mapped(inode)) read_back(CONTENT, 0, fd, inode, 0, size_of(fd), path);
  note(number == SYS_sync_file_range ? FLUSH : SYNC, 1, inode, 0, path, "", 0);
  give();
  return result;
}

static long do_msync(const long *a) {
  for (int i = 0; i < mapped; i++) {
    if ((uintptr_t)a[0] < mappings[i].start || (uintptr_t)a[0] >= mappings[i].end) continue;
    take();
    if (last(SYNC, mappings[i].inode, mappings[i].path)) die();
    long result = shim_call(SYS_msync, a[0], a[1], a[2], 0, 0, 0);
    int fd = (int)shim_call(SYS_openat, AT_FDCWD, (long)mappings[i].path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd >= 0) {
      read_back(CONTENT, 0, fd, mappings[i].inode, 0, size_of(fd), mappings[i].path);
      shim_call(SYS_close, fd, 0, 0, 0, 0, 0);
    }
    note(a[2] & MS_SYNC ? SYNC : FLUSH, 1, mappings[i].inode, 0, mappings[i].path, "", 0);
    give();
    return result;
  }
  return shim_call(SYS_msync, a[0], a[1], a[2], 0, 0, 0);
}

static long do_map(const long *a) {
  char path[PATH_MAX];
  long result = shim_call(SYS_mmap, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0 && result > -4096) return result;
  if (a[3] & MAP_ANONYMOUS || !path_of((int)a[4], path)) return result;
  take();
  uint64_t inode = inode_of((int)a[4]);
  if (mapped < MAPPINGS) {
    mappings[mapped].start = (uintptr_t)result;
    mappings[mapped].end = (uintptr_t)result + (uintptr_t)a[1];
    mappings[mapped].inode = inode;
    strncpy(mappings[mapped].path, path, sizeof mappings[mapped].path - 1);
    mapped++;
  } else {
    note(UNKNOWN, 0, inode, 0, path, "too many mappings", 0);
  }
  note(MAPPED, 0, inode, 0, path, "", 0);
  give();
  return result;
}

/* open, openat, openat2 and creat: they matter where they make a file or empty one. */
static long do_open(long number, const long *a, int folder, const char *given, long flags) {
  char path[PATH_MAX];
  struct stat about = {0};
  int nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (!resolve(folder, given, path) || !(flags & (O_CREAT | O_TRUNC) || nameless))
    return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  int before = there(path, &about);
  int makes = nameless || (!before && flags & O_CREAT);
  int empties = before && !nameless && flags & O_TRUNC && S_ISREG(about.st_mode) && about.st_size > 0;
  if ((makes || empties) && last(makes ? CREATE : TRUNCATE, about.st_ino, path)) die();
  long result = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result >= 0 && makes) note(CREATE, 1, inode_of((int)result), 0, nameless ? "" : path, "", 0);
  else if (result >= 0 && empties) note(TRUNCATE, 1, about.st_ino, 0, path, "", 0);
  else if (makes || empties) note(REFUSED, 1, about.st_ino, 0, path, "", 0);
  give();
  return result;
}

/* Calls that change the entries of folders. */
static long do_names(long number, const long *a, int kind, int folder, const char *given, int to, const char *name) {
  char path[PATH_MAX], other[PATH_MAX];
  struct stat about = {0};
  int ours = resolve(folder, given, path);
  other[0] = 0;
  if (name) ours |= resolve(to, name, other);
  if (!ours) return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  take();
  there(path, &about);
  if (kind == LINK && (about.st_mode & S_IFMT) == S_IFLNK) { /* /proc/self/fd/N, the name of a nameless file */
    struct stat target;
    if (shim_call(SYS_stat, (long)path, (long)&target, 0, 0, 0, 0) == 0) about = target;
  }
  if (kind == LINK && given && !given[0]) about.st_ino = inode_of(folder);
  if (last(kind, about.st_ino, path)) die();
  long result = shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result == 0 && kind == MKDIR) there(path, &about);
  note(result ? REFUSED : kind, 1, about.st_ino, 0, path, other, 0);
  give();
  return result;
}

static long unknown(long number, const long *a) {
  char digits[12];
  decimal(digits, (unsigned)number);
  take();
  seen++;
  note(UNKNOWN, 1, 0, 0, "", digits, 0);
  give();
  return shim_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long handle(long number, const long *a) {
  struct iovec one = {(void *)a[1], (size_t)a[2]};
  const int64_t *in_file = NULL;
  switch (number) {
    case SYS_write: return do_write(number, a, &one, 1, -1);
    case SYS_pwrite64: return do_write(number, a, &one, 1, a[3]);
    case SYS_writev: return do_write(number, a, (const struct iovec *)a[1], a[2], -1);
    case SYS_pwritev: return do_write(number, a, (const struct iovec *)a[1], a[2], a[3]);
    case SYS_pwritev2: return do_write(number, a, (const struct iovec *)a[1], a[2], a[3]);
    case SYS_copy_file_range: in_file = (const int64_t *)a[3]; return do_copy(number, a, (int)a[2], in_file);
    case SYS_splice: in_file = (const int64_t *)a[3]; return do_copy(number, a, (int)a[2], in_file);
    case SYS_sendfile: return do_copy(number, a, (int)a[0], NULL);
    case SYS_ftruncate: case SYS_fallocate: return do_resize(number, a, (int)a[0]);
    case SYS_truncate: return do_truncate((const char *)a[0], a[1]);
    case SYS_fsync: case SYS_fdatasync: case SYS_sync_file_range: return do_sync(number, a, (int)a[0]);
    case SYS_msync: return do_msync(a);
    case SYS_mmap: return do_map(a);
    case SYS_open: return do_open(number, a, AT_FDCWD, (const char *)a[0], a[1]);
    case SYS_creat: return do_open(number, a, AT_FDCWD, (const char *)a[0], O_CREAT | O_TRUNC);
    case SYS_openat: return do_open(number, a, (int)a[0], (const char *)a[1], a[2]);
    case SYS_openat2:
      return do_open(number, a, (int)a[0], (const char *)a[1], (long)((const struct open_how *)a[2])->flags);
    case SYS_mkdir: return do_names(number, a, MKDIR, AT_FDCWD, (const char *)a[0], 0, NULL);
    case SYS_mkdirat: return do_names(number, a, MKDIR, (int)a[0], (const char *)a[1], 0, NULL);
    case SYS_rmdir: return do_names(number, a, RMDIR, AT_FDCWD, (const char *)a[0], 0, NULL);
    case SYS_unlink: return do_names(number, a, UNLINK, AT_FDCWD, (const char *)a[0], 0, NULL);
    case SYS_unlinkat:
      return do_names(number, a, a[2] & AT_REMOVEDIR ? RMDIR : UNLINK, (int)a[0], (const char *)a[1], 0, NULL);
    case SYS_rename:
      return do_names(number, a, RENAME, AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1]);
    case SYS_renameat: case SYS_renameat2:
      return do_names(number, a, RENAME, (int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3]);
    case SYS_link: return do_names(number, a, LINK, AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1]);
    case SYS_linkat:
      return do_names(number, a, LINK, (int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3]);
    default: return unknown(number, a);
  }
}

static void on_trap(int signal, siginfo_t *about, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const long a[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                     registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  int before = errno;
  (void)signal;
  registers[REG_RAX] = handle(about->si_syscall, a);
  errno = before;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_HIGH(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define TRAP(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(SECCOMP_RET_TRAP)
/* Trapped where `argument` has one of `bits`; jumps over itself otherwise. */
#define TRAP_BITS(number, argument, bits) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[argument]), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), RETURN(SECCOMP_RET_TRAP), RETURN(SECCOMP_RET_ALLOW)

static int install(void) {
  uint64_t after = (uint64_t)(uintptr_t)shim_after;
  struct sock_filter rules[] = {
      LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_ALLOW),
      LOAD(instruction_pointer), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)after, 0, 3),
      LOAD_HIGH(instruction_pointer), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(after >> 32), 0, 1),
      RETURN(SECCOMP_RET_ALLOW),
      LOAD(nr),
      TRAP_BITS(SYS_open, 1, O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)),
      TRAP_BITS(SYS_openat, 2, O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)),
      /* shared and writable; an anonymous mapping is let through by the handler */
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 6), LOAD(args[2]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 3), LOAD(args[3]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1), RETURN(SECCOMP_RET_TRAP), RETURN(SECCOMP_RET_ALLOW),
      TRAP(SYS_write), TRAP(SYS_pwrite64), TRAP(SYS_writev), TRAP(SYS_pwritev), TRAP(SYS_pwritev2),
      TRAP(SYS_copy_file_range), TRAP(SYS_sendfile), TRAP(SYS_splice), TRAP(SYS_ftruncate), TRAP(SYS_truncate),
      TRAP(SYS_fallocate), TRAP(SYS_fsync), TRAP(SYS_fdatasync), TRAP(SYS_sync_file_range), TRAP(SYS_msync),
      TRAP(SYS_creat), TRAP(SYS_openat2), TRAP(SYS_mkdir), TRAP(SYS_mkdirat), TRAP(SYS_rmdir), TRAP(SYS_unlink),
      TRAP(SYS_unlinkat), TRAP(SYS_rename), TRAP(SYS_renameat), TRAP(SYS_renameat2), TRAP(SYS_link),
      TRAP(SYS_linkat), TRAP(SYS_symlink), TRAP(SYS_symlinkat), TRAP(SYS_io_uring_setup), TRAP(SYS_io_uring_enter),
      TRAP(SYS_io_submit), TRAP(SYS_sync), TRAP(SYS_syncfs),
      RETURN(SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  struct sigaction action = {0};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  return failed < 0 ? errno : failed ? EBUSY : 0;
}

/* From now on: end at the `at`-th operation below `folder`, never where it is 0; `half` for half of a write first;
 * `data` to journal what is written. 0, or why it cannot be done. */
int shim_arm(const char *folder, const char *to, long at, int half, int data) {
  root_size = strlen(folder);
  if (root_size >= sizeof root) return ENAMETOOLONG;
  strcpy(root, folder);
  journal = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal < 0) return errno;
  die_at = at;
  torn = half;
  with_data = data;
  seen = 0;
  return install();
}

/* Put something that the program says into the journal. */
void shim_mark(const char *said, size_t size) {
  take();
  note(MARK, 0, 0, 0, "", "", size);
  put(said, size);
  give();
}

long shim_seen(void) { return seen; }
