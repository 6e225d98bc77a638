import type { AnyFlag } from '../../machinery/flags/flag.ts'
import { showGoDuration } from '../../machinery/go/go-duration.ts'
import { SERVER_FLAG_SECTIONS } from '../../server/options/server-options.ts'

const TERM_WIDTH = 62

/** The flags of kube-apiserver, and how each is handled: the output of `--help`. */
export function apiServerHelp(program: string): string {
  const lines = ["An API server alone, with kube-apiserver's flags.", '', 'Usage:', `  ${program} [flags]`]
  for (const [title, table] of Object.entries(SERVER_FLAG_SECTIONS)) {
    lines.push('', `${title} flags:`, '')
    for (const [name, flag] of Object.entries<AnyFlag>(table)) if (flag.deprecated === undefined) lines.push(line(name, flag))
  }
  return lines.join('\n')
}

function line(name: string, flag: AnyFlag): string {
  const term = `  ${flag.short === undefined ? '    ' : `-${flag.short}, `}--${name} ${flag.type}`.padEnd(TERM_WIDTH)
  return `${term}${[flag.help, effectText(flag) ?? defaultText(flag)].filter((text) => text !== '').join(' ')}`
}

function effectText({ effect }: AnyFlag): string | undefined {
  if (effect.kind === 'followed') return undefined
  return effect.kind === 'refused' ? `(not followed: ${effect.reason})` : '(without effect)'
}

/** As kube-apiserver shows it: no default that is empty, false or 0. */
function defaultText({ type, initial, help }: AnyFlag): string {
  if (help.includes('(default: ') || initial === '' || !initial || (Array.isArray(initial) && initial.length === 0)) return ''
  const shown = type === 'duration' ? showGoDuration(Number(initial)) : Array.isArray(initial) ? initial.join(',') : shownValue(initial)
  return shown === undefined ? '' : `(default ${shown})`
}

/** Undefined: a value that has no short text, as a table. */
const shownValue = (value: unknown): string | undefined => (typeof value === 'object' ? undefined : String(value))
