/**
 * All bytes of a stream. One with more than `mostBytes` is not read on: its iterator is closed, which destroys a stream of Node, and the
 * error is thrown.
 */
export async function readWhole(body: AsyncIterable<Buffer>, mostBytes: number, tooLong: () => Error): Promise<Buffer> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for await (const part of body) {
    sizeBytes += part.length
    if (sizeBytes > mostBytes) throw tooLong()
    parts.push(part)
  }
  return Buffer.concat(parts)
}
