import type { AnyFlag } from '../../machinery/flags/flag.ts'
import { SERVER_FLAG_SECTIONS } from '../../server/options/server-options.ts'

/** The flags of kube-apiserver, and how each is handled: the output of `--help`. */
export function apiServerHelp(program: string): string {
  const lines = ["An API server alone, with kube-apiserver's flags.", '', 'Usage:', `  ${program} [flags]`]
  for (const [title, table] of Object.entries(SERVER_FLAG_SECTIONS)) {
    lines.push('', `${title} flags:`, '')
    for (const [name, flag] of Object.entries<AnyFlag>(table)) {
      if (flag.deprecated !== undefined) continue
      const note =
        flag.effect.kind === 'refused' ? `(not followed: ${flag.effect.reason})` : flag.effect.kind === 'harmless' ? '(without effect)' : ''
      lines.push(
        `  ${flag.short === undefined ? '    ' : `-${flag.short}, `}--${name} ${flag.type}`.padEnd(62) +
          [flag.help, note].filter(Boolean).join(' '),
      )
    }
  }
  return lines.join('\n')
}
