// Connections to a server of HTTP: what browsers send, and what reaches the limits and the refusals.

/// One seed for each request, and one of all that are accepted.
func requestSeeds() -> [[UInt8]] {
  let accepted = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "HEAD /f/1a2b/app.js HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept-Encoding: gzip, br;q=0.5\r\n\r\n",
    "GET /rides/?limit=20&before=&name=a%20b+c HTTP/1.1\r\nHost: [::1]:8080\r\nIf-None-Match: W/\"a\", \"b\"\r\n\r\n",
    "GET /a.fit HTTP/1.0\r\nConnection: keep-alive\r\nRange: bytes=0-99\r\nIf-Range: \"a\"\r\n\r\n",
    "POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
    "PUT /api HTTP/1.1\r\nHost: a\r\nIf-Match: \"a\"\r\ncontent-length: 002\r\n\r\n\r\n",
    "DELETE /%F0%9F%9A%B2 HTTP/1.1\r\nHOST:\ta \r\nConnection: x, Close\r\n\r\n",
  ]
  let refused = [
    "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /../a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%2f HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET //a HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\(String(repeating: "a", count: 60)) HTTP/1.1\r\n", "GET / HTTP/1.1\r\nExpect: tea\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "a:\r\n", count: 6) + "\r\n", "PATCH / HTTP/1.1\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: \0\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
  ]
  return (accepted + refused + [accepted.joined()]).map { Array($0.utf8) }
}
