import { spawn } from 'node:child_process'

/** The exit of a program, and its output. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** Called with its whole output so far. */
  readonly onOut?: (out: string) => void
  /** The time limit, so that a hanging test reports its program. Default two minutes. */
  readonly timeoutMs?: number
  /** Kills it. */
  readonly signal?: AbortSignal
}

/** Runs a program next to the cluster of this process; resolves when it has ended for any reason. */
export function runProgram(file: string, args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  const { env, cwd, stdin, timeoutMs = 120_000, signal } = options
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...process.env, ...env },
      ...(cwd !== undefined && { cwd }),
      timeout: timeoutMs,
      ...(signal !== undefined && { signal }),
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      options.onOut?.(out)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
    child.stdin.on('error', () => {}) // the program ends without reading
    child.stdin.end(stdin ?? '')
  })
}
