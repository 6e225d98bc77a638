/** Bytes of a stream that are kept for a browser: then the stream waits, for a terminal must miss none. */
const MAX_BYTES = 256 * 1024
/** Bytes of one message. */
const MAX_SENT = 64 * 1024

/** Bytes of a stream on their way to a browser. */
export class KeptBytes {
  #chunks: Uint8Array[] = []
  #bytes = 0
  /** Of streams that wait. */
  #resumes: (() => void)[] = []

  /** Resolves when there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < MAX_BYTES) return
    await new Promise<void>((resume) => this.#resumes.push(resume))
  }

  /** The next bytes to send. */
  take(): { readonly bytes: Uint8Array; readonly hasMore: boolean } {
    const all = Buffer.concat(this.#chunks)
    const bytes = all.subarray(0, MAX_SENT)
    const rest = all.subarray(bytes.length)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    if (this.#bytes < MAX_BYTES) for (const resume of this.#resumes.splice(0)) resume()
    return { bytes, hasMore: rest.length > 0 }
  }
}
