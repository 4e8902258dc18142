"""Support of citations: whether a cited document bears out the sentence that cites it, as judges say."""
