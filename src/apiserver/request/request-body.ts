/** The body of a request: bytes from a socket, or an object of the same process. */
export type RequestBody =
  | { readonly kind: 'bytes'; readonly contentType: string | undefined; read(): Promise<Buffer> }
  | { readonly kind: 'object'; readonly value: unknown; readonly patchType?: string }

export const NO_BODY: RequestBody = { kind: 'object', value: undefined }
