/** A message as gRPC sends it: percent-encoded UTF-8. What is not is taken as it is. */
export function decodeGrpcMessage(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
