"""Where the pictures of a video change."""

from __future__ import annotations

from io import BytesIO

from seamline.extras import needed


def changes(data: bytes) -> tuple[float, ...]:
    """Seconds at which a new scene starts; the first is not one of them."""
    with needed("PySceneDetect, which finds the scenes of a video,", "audio"):
        from scenedetect import ContentDetector, SceneManager
        from scenedetect.backends.pyav import VideoStreamAv
    video = VideoStreamAv(BytesIO(data), name="video", suppress_output=True)
    manager = SceneManager()
    manager.add_detector(ContentDetector())
    manager.detect_scenes(video)
    return tuple(round(start.seconds, 3) for start, _ in manager.get_scene_list()[1:])
