"""Images, audio, video, subtitles and transcripts."""
