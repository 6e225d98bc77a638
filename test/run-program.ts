import { spawn } from 'node:child_process'

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
  /** Hears of everything that it has printed so far. */
  readonly onOut?: (out: string) => void
  /** Killed after this long, so that a test that waits for ever says which program did. Default two minutes. */
  readonly timeoutMs?: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

/** Runs a program beside the cluster of this process; resolves when it has ended, however that was. */
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
    child.stdin.on('error', () => {}) // a program that ends without reading
    child.stdin.end(stdin ?? '')
  })
}
