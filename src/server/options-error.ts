/** Invalid options of a server; the message is kube-apiserver's if it has one. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'
  readonly code: 'bad-option' | 'bad-file'
  constructor(code: OptionsError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Throws all faults in one error: a single one as it is, several in brackets, without duplicates. */
export function throwFaults(faults: readonly string[]): void {
  const once = [...new Set(faults)]
  if (once.length === 0) return
  throw new OptionsError('bad-option', once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`)
}
