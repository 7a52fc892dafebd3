"""A Ray cluster of several nodes on this machine, each a group of processes with an address of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STORE_BYTES = 100 << 20


class RayNodes:
    """A cluster whose nodes can be killed."""

    def __init__(self, cluster: Any, nodes: list[Any]) -> None:
        self._cluster = cluster
        self._nodes = nodes

    @property
    def address(self) -> str:
        """What RAY_ADDRESS is set to."""
        return str(self._cluster.address)

    def kill(self) -> None:
        """End the last node with all its workers, as a power failure does."""
        self._cluster.remove_node(self._nodes.pop(), allow_graceful=False)


@contextmanager
def ray_nodes(count: int, environment: dict[str, str]) -> Iterator[RayNodes]:
    """Nodes of one core each. Their workers have this environment, as the machines of a cluster have their own."""
    folder = tempfile.mkdtemp(prefix="ray-")  # a short path: sockets are in it
    os.environ.update({"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": folder, **environment})
    from ray.cluster_utils import Cluster

    cluster = Cluster(shutdown_at_exit=False)
    try:
        nodes = [
            cluster.add_node(
                num_cpus=1,
                object_store_memory=STORE_BYTES,
                node_ip_address=f"127.0.0.{11 + number}",  # Ray rewrites 127.0.0.1
                include_dashboard=False,
            )
            for number in range(count)
        ]
        yield RayNodes(cluster, nodes)
    finally:
        cluster.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
