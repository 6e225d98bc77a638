/** The response to a request, when it is known as a whole. */
export interface KubeletResponse {
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  /** Chunks are sent as they come. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' }
const NOSNIFF = { ...PLAIN, 'X-Content-Type-Options': 'nosniff' }

/** Text without an explicit content type, as the kubelet's web services write it: the type is sniffed from the text. */
export const text = (code: number, body: string, headers: Readonly<Record<string, string>> = {}): KubeletResponse => ({
  code,
  headers: { ...headers, ...(body === '' ? {} : PLAIN) },
  body,
})

/** Text as Go's `http.Error` writes it: with a line end, `text/plain` and `nosniff`. */
export const errorText = (code: number, body: string): KubeletResponse => ({ code, headers: NOSNIFF, body: `${body}\n` })

/** Text of a page with an explicit content type. */
export const page = (body: string): KubeletResponse => ({ code: 200, headers: NOSNIFF, body })

export const json = (body: string, headers: Readonly<Record<string, string>> = {}): KubeletResponse => ({
  code: 200,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
})

export const NOT_FOUND = errorText(404, '404 page not found')
export const UPGRADE_REQUIRED = errorText(500, 'Upgrade request required')
