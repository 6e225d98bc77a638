import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** How a program of a recording answers. */
export interface ProviderScript {
  readonly answer?: object
  readonly text?: string
  readonly code?: number
  readonly stderr?: string
  readonly sleep?: number
}

/** A call of a provider, as recordings have it. */
export interface ProviderCall {
  readonly provider: string
  readonly args: readonly string[]
  readonly stdin: object
}

/** Writes programs that answer as they are told, and write down how they were called. */
export function writeProviders(binDir: string, scripts: Readonly<Record<string, ProviderScript>>): () => readonly ProviderCall[] {
  mkdirSync(binDir, { recursive: true })
  const log = path.join(binDir, 'calls.log')
  writeFileSync(log, '')
  for (const [name, script] of Object.entries(scripts)) {
    const { answer, text = JSON.stringify(answer ?? {}), code = 0, stderr = '', sleep = 0 } = script
    writeFileSync(path.join(binDir, `${name}.out`), text)
    writeFileSync(
      path.join(binDir, name),
      `#!/bin/sh
in=$(cat)
printf '%s\\t%s\\t%s\\n' '${name}' "$*" "$in" >> '${log}'
[ ${sleep} = 0 ] || sleep ${sleep}
[ -z '${stderr}' ] || echo '${stderr}' >&2
cat '${path.join(binDir, `${name}.out`)}'
exit ${code}
`,
    )
    chmodSync(path.join(binDir, name), 0o755)
  }
  return () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [provider = '', args = '', stdin = '{}'] = line.split('\t')
        return { provider, args: args.split(' ').filter(Boolean), stdin: JSON.parse(stdin) }
      })
}
