"""Who says yes. An approver sees one exact call and answers; it cannot edit it and never holds it."""
