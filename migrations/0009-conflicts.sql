-- Documents of which more than one leaf is live (bit 2 of the flags), so that they can be listed however few they are.
CREATE INDEX documents_conflicted ON documents (key) WHERE flags & 4 <> 0;
