"""Are changes of subject in conversations found? Transcripts and chats with known topics and speakers."""
