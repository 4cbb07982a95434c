func decode(_ session: Session) throws(Failure) {}
