/** Why a server cannot be built from its options; the message is what kube-apiserver says where it has words for it. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'
  readonly code: 'bad-option' | 'bad-file'
  constructor(code: OptionsError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** All faults in one error: a single one as it is, several in brackets, each once. */
export function throwFaults(faults: readonly string[]): void {
  const once = [...new Set(faults)]
  if (once.length === 0) return
  throw new OptionsError('bad-option', once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`)
}
