"""Replicas on Ray Serve: it spreads requests over them, and starts another where one died."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seamline.api import serving
from seamline.api.ingest import require_models
from seamline.api.trust import models_of, trust_in
from seamline.errors import ConfigError, StoreError, needed
from seamline.scale.ray_engine import ADDRESS, check_address, ray_cluster
from seamline.scale.replica import Replica, ReplicaConfig, StateKeeper, States
from seamline.server.run import is_loopback

if TYPE_CHECKING:
    from seamline.api.index import Index
    from seamline.server.app import ServerApp
    from seamline.server.guard import GuardRules

APP = "seamline"
"""Of the application, and of the namespace of its keeper."""
_KEEPER = "seamline-states"
_HEALTH_SECONDS = 2.0
_ANSWER_SECONDS = 10.0
"""For the keeper to answer."""


@dataclass(frozen=True, slots=True)
class ReplicaOptions:
    """Where replicas run, how many, and where callers reach them."""

    on: str = ADDRESS
    replicas: int = 2
    host: str = "127.0.0.1"
    port: int = 8765

    def __post_init__(self) -> None:
        check_address(self.on)
        if self.replicas < 1:
            raise ConfigError(f"--replicas: expected 1 or more, got {self.replicas}")
        if not self.port:
            raise ConfigError("--port: expected the number of a port with --on, got 0")


class RayReplica:
    """A replica as Ray Serve runs it, in a process of its own."""

    def __init__(self, config: ReplicaConfig) -> None:
        import ray

        logging.getLogger("ray.serve").setLevel(logging.WARNING)
        keeper = ray.get_actor(_KEEPER, namespace=APP)

        def states() -> States:
            try:
                return ray.get(keeper.states.remote(), timeout=_ANSWER_SECONDS)  # type: ignore[no-any-return]
            except (ray.exceptions.RayError, TimeoutError) as error:
                raise StoreError(f"nobody says which state to read: {error}") from error

        self._replica = Replica(config, states)

    def __serve_build_asgi_app__(self) -> ServerApp:
        """Called by Ray Serve once this is made."""
        return self._replica.app

    def check_health(self) -> None:
        """Called by Ray Serve from time to time: one that raises is replaced."""
        if self._replica.app.state.status == "stopping":
            raise RuntimeError("stopping")


def serve_on_ray(
    indexes: Mapping[str, Index],
    rules: GuardRules,
    options: ReplicaOptions,
    started: Callable[[], None],
    *,
    quiet: bool = False,
) -> None:
    """Replicas of these indexes, until a signal comes, which is raised again at the end."""
    for index in indexes.values():
        require_models(index)  # before any machine is told to trust them
        serving.present_state(index)
    trust = trust_in(
        [model for index in indexes.values() for model in models_of(index.recipe, index.settings.embedder)]
    )
    places = {name: index.url for name, index in indexes.items()}
    with ray_cluster(options.on) as (ray, _):
        with needed("Ray Serve, which runs servers,", "ray"):
            from ray import serve
        logging.getLogger("ray.serve").setLevel(logging.ERROR)
        _clear(ray, serve)
        actor = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(StateKeeper)
        keeper = actor.options(name=_KEEPER, namespace=APP, lifetime="detached").remote(places)
        try:
            _start(serve, ReplicaConfig(places, trust, rules, quiet), options)
            started()
            while True:
                time.sleep(1)
        finally:
            serve.delete(APP)
            ray.kill(keeper)
            _clear(ray, serve)


def _start(serve: Any, config: ReplicaConfig, options: ReplicaOptions) -> None:
    # What only a machine itself can reach is there once, else every machine of the cluster takes requests.
    where = "HeadOnly" if is_loopback(options.host) else "EveryNode"
    serve.start(proxy_location=where, http_options={"host": options.host, "port": options.port})
    deployment = serve.deployment(
        name="replica",
        num_replicas=options.replicas,
        ray_actor_options={"num_cpus": 1},
        max_ongoing_requests=config.rules.limits.requests,
        health_check_period_s=_HEALTH_SECONDS,
    )(serve.ingress()(RayReplica))
    try:
        serve.run(deployment.bind(config), name=APP, route_prefix="/")
    except RuntimeError as error:
        said = str(error).strip().splitlines()
        raise StoreError(f"the replicas do not start: {said[-1][:300] if said else 'see the logs of Ray'}") from error


def _clear(ray: Any, serve: Any) -> None:
    """End what a command that was killed left. Where others use Ray Serve, its address is theirs: a ConfigError."""
    others = sorted({*serve.status().applications} - {APP})
    if others:
        raise ConfigError(
            f"--on: Ray Serve runs {', '.join(others)} on this cluster, at an address of its own: use another cluster"
        )
    serve.shutdown()
    try:
        ray.kill(ray.get_actor(_KEEPER, namespace=APP))
    except ValueError:
        return
