/** What the error codes of Node's sockets and TLS mean, in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name is not known to DNS',
  EAI_AGAIN: 'DNS does not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was reset',
  EPIPE: 'the connection was closed by the other side',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  EPROTO: 'the server does not speak TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS (plain HTTP on this port?)',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped coming',
  UND_ERR_SOCKET: 'the connection was closed by the other side',
  HPE_INVALID_CONSTANT: 'the answer is not HTTP',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed and not trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate was issued by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate was issued by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate was issued by an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate was issued by an authority that is not trusted here',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

/**
 * Why a network call failed, in words and with the code: `the connection was refused (ECONNREFUSED 10.0.0.1:443)`.
 * @param error whatever a socket, TLS or fetch threw; causes and the attempts of a name with several addresses
 * are looked through
 */
export function networkCause(error: unknown): string {
  const all = [...chain(error)];
  for (const each of all) {
    const { code, address, port } = each as { code?: unknown; address?: unknown; port?: unknown };
    if (typeof code === 'string' && WORDS[code] !== undefined) {
      const where = address === undefined ? '' : ` ${address}${port === undefined ? '' : `:${port}`}`;
      return `${WORDS[code]} (${code}${where})`;
    }
  }
  const innermost = all.at(-1);
  return innermost instanceof Error ? innermost.message : String(innermost);
}

function* chain(error: unknown): Generator<unknown> {
  // Bounded: a cause may lead back to itself.
  for (let depth = 0, current = error; depth < 8 && current !== undefined && current !== null; depth += 1) {
    yield current;
    if (current instanceof AggregateError) {
      yield* current.errors;
    }
    current = (current as { cause?: unknown }).cause;
  }
}
