export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL after redirects. */
  readonly url: string;
  /** The body as it comes; a cut connection makes it throw. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** HTTP GET over TLS as Node verifies it. */
export interface Http {
  /**
   * Gets a URL, following redirects. Resolves for every status.
   * Rejects with RunError `DownloadFailed` (transient) when there is no answer: name not found, refused, reset, TLS.
   * @param idleTimeoutMs how long nothing may come before the connection counts as dead
   */
  get(
    url: string,
    options: { readonly signal: AbortSignal; readonly idleTimeoutMs: number },
  ): Promise<HttpResponse>;
}
