"""Where the pictures of a video change."""

from __future__ import annotations

from io import BytesIO

from seamline.errors import ParseError
from seamline.extras import needed


def changes(data: bytes) -> tuple[float, ...]:
    """Seconds at which a new scene starts; the first is not one of them."""
    with needed("PySceneDetect, which finds the scenes of a video,", "audio"):
        import av
        from scenedetect import ContentDetector, SceneManager, VideoOpenFailure
        from scenedetect.backends.pyav import VideoStreamAv
    manager = SceneManager()
    manager.add_detector(ContentDetector())
    try:
        manager.detect_scenes(VideoStreamAv(BytesIO(data), name="video", suppress_output=True))
    except (VideoOpenFailure, av.FFmpegError, ValueError) as error:
        raise ParseError(f"the pictures cannot be read ({error})") from None
    return tuple(round(start.seconds, 3) for start, _ in manager.get_scene_list()[1:])
