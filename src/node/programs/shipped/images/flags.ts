/** `--port=80`, `--port 80`, `-p 80`, `--port -1` and switches, as Go's programs read them; what is none is a word. */
export interface Flags {
  text(name: string, otherwise?: string): string
  number(name: string, otherwise: number): number
  has(name: string): boolean
  readonly words: readonly string[]
}

export function readFlags(args: readonly string[], switches: readonly string[] = []): Flags {
  const values = new Map<string, string>()
  const words: string[] = []
  for (let i = 0; i < args.length; i++) {
    const [, name, given] = (args[i] ?? '').match(/^--?([\w-]+)(?:=(.*))?$/s) ?? []
    if (name === undefined) words.push(args[i] ?? '')
    else if (given !== undefined) values.set(name, given)
    else if (switches.includes(name) || /^-(?!\d)/.test(args[i + 1] ?? '-')) values.set(name, 'true')
    else values.set(name, args[++i] ?? '')
  }
  return {
    text: (name, otherwise = '') => values.get(name) ?? otherwise,
    number(name, otherwise) {
      const value = Number(values.get(name) ?? otherwise)
      return Number.isFinite(value) ? value : otherwise
    },
    has: (name) => values.has(name),
    words,
  }
}
