import type { OperatorTrialReport } from './test-operator.ts'
import type { TrialCall } from './trial-proxy.ts'

/**
 * The report as a page that needs nothing else: the rules, the permissions, and when what was asked of which object.
 *
 * ```ts
 * const page = operatorTrialHtml(await testOperator({ command: ['./my-operator'], install: [], samples: [gadget] }))
 * ```
 */
export function operatorTrialHtml(report: OperatorTrialReport): string {
  const { command, grade, steps, permissions, calls } = report
  const rows = steps.map(
    (s) =>
      `<tr class="${s.outcome}"><td>${s.outcome}</td><td>${escaped(s.rule)}${s.why === undefined ? '' : `<div class="why">${escaped(s.why)}</div>`}</td><td>${(s.tookMs / 1000).toFixed(1)} s</td></tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(command)}: grade ${grade}</title>
<style>${STYLE}</style></head><body>
<h1>${escaped(command)}: grade ${grade}</h1>
<table class="steps">${rows.join('\n')}</table>
<h2>Requests of the undisturbed world</h2>
${timeline(calls)}
<h2>Permissions that it needed</h2>
<pre>${escaped(permissions.minimal)}</pre>
${list('Used, and not asked for', permissions.missing)}
${list('Asked for, and not used', permissions.unused)}
</body></html>
`
}

const list = (title: string, of: OperatorTrialReport['permissions']['used']) =>
  of.length === 0
    ? ''
    : `<h3>${title}</h3><ul>${of.map((p) => `<li>${escaped(`${p.verb} ${p.resource} (${p.group || 'core'})`)}</li>`).join('')}</ul>`

/** More marks than anybody looks at make a page that no browser shows. */
const MOST_MARKS = 5000

/** A lane for each object (or collection), a mark for each request; colours by verb, lives of the program behind them. */
function timeline(all: readonly TrialCall[]): string {
  const calls = all.filter((c) => c.target !== undefined).slice(0, MOST_MARKS)
  const endMs = Math.max(1, ...calls.map((c) => c.doneMs ?? c.atMs))
  const at = (ms: number) => ((ms / endMs) * 100).toFixed(3)
  const lanes = Map.groupBy(calls, laneOf)
  const lane = ([name, of]: readonly [string, readonly TrialCall[]]) => {
    const marks = of.map((c) => {
      const width = c.verb === 'watch' ? `width:${at((c.doneMs ?? endMs) - c.atMs)}%` : ''
      const outcome = c.fault ?? (c.changed === false ? 'changed nothing' : '')
      const title = `${c.atMs} ms, run ${c.life}: ${c.verb} ${c.path} → ${c.code ?? 'no answer'}${outcome === '' ? '' : ` (${outcome})`}`
      return `<i class="${c.verb}${(c.code ?? 500) >= 400 ? ' refused' : ''}${c.changed === false ? ' vain' : ''}" style="left:${at(c.atMs)}%;${width}" title="${escaped(title)}"></i>`
    })
    return `<div class="lane"><span>${escaped(name)}</span><div>${marks.join('')}</div></div>`
  }
  const more = all.length > calls.length ? `<p>Only ${calls.length} of ${all.length} requests are shown.</p>` : ''
  return `<div class="timeline">${[...lanes].map(lane).join('\n')}</div><p>0 to ${(endMs / 1000).toFixed(1)} s. Hollow: changed nothing; crossed: refused.</p>${more}`
}

function laneOf({ target }: TrialCall): string {
  if (target === undefined) return ''
  const { resource, namespace, name, subresource } = target
  const place = [namespace, name].filter((p) => p !== '').join('/')
  return `${resource}${subresource === '' ? '' : `/${subresource}`}${place === '' ? '' : ` ${place}`}`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

const STYLE = `
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 80em; color: #222 }
table.steps { border-collapse: collapse } td { padding: .2em .8em; border-top: 1px solid #ddd; vertical-align: top }
.passed td:first-child { color: #176f2c } .failed td:first-child { color: #b3261e; font-weight: bold } .why { color: #b3261e }
.lane { display: flex; border-top: 1px solid #eee } .lane span { width: 24em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-family: monospace }
.lane div { position: relative; flex: 1; height: 1.4em } .lane i { position: absolute; top: .2em; height: 1em; width: 4px; background: #888; border-radius: 2px }
i.create { background: #176f2c } i.update, i.patch { background: #1a56c4 } i.delete, i.deletecollection { background: #b3261e }
i.watch { background: #e4e9f2 } i.vain { background: none; border: 1px solid #1a56c4; box-sizing: border-box; width: 6px } i.refused { border-top: 3px solid #b3261e }
pre { background: #f6f6f6; padding: 1em }`
