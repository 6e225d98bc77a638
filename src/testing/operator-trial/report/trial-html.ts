import type { OperatorTrialReport, OperatorTrialStep } from '../test-operator.ts'
import type { TrialScene } from '../trial-world.ts'
import { permissionText } from './permissions.ts'
import { type TimelineItem, timelineOf } from './timeline.ts'

/**
 * The report as a self-contained page: the rules, the permissions, and the requests for each object; a timeline for each broken rule.
 *
 * ```ts
 * const page = operatorTrialHtml(await testOperator({ command: ['./my-operator'], install: [], samples: [gadget] }))
 * ```
 */
export function operatorTrialHtml(report: OperatorTrialReport): string {
  const { command, grade, steps, permissions, undisturbed } = report
  const count = (outcome: OperatorTrialStep['outcome']) => steps.filter((s) => s.outcome === outcome).length
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(command)}: grade ${grade}</title>
<style>${STYLE}</style></head><body>
<h1><b class="grade ${grade}">${grade}</b> <code>${escaped(command)}</code></h1>
<p>${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped</p>
<table class="steps">${steps.map(row).join('\n')}</table>
${undisturbed === undefined ? '' : `<h2>The undisturbed world</h2>${timeline(undisturbed)}`}
${permissions.used.length === 0 ? '' : `<h2>Permissions that it needed</h2><pre>${escaped(permissions.minimal)}</pre>`}
${list('Used, and not asked for', permissions.missing)}
${grade === 'F' ? '' : list('Asked for, and not used in this trial', permissions.unused)}
</body></html>
`
}

const row = ({ rule, outcome, why, scene, tookMs }: OperatorTrialStep) =>
  `<tr class="${outcome}"><td>${outcome}</td><td>${escaped(rule)}${why === undefined ? '' : `<div class="why">${escaped(why)}</div>`}${
    scene === undefined ? '' : `<details><summary>what happened</summary>${timeline(scene)}</details>`
  }</td><td>${(tookMs / 1000).toFixed(1)} s</td></tr>`

const list = (title: string, of: OperatorTrialReport['permissions']['used']) =>
  of.length === 0 ? '' : `<h3>${title}</h3><ul>${of.map((p) => `<li><code>${escaped(permissionText(p))}</code></li>`).join('')}</ul>`

const percent = (part: number) => `${(part * 100).toFixed(2)}%`

/** A lane for each object or collection; what the trial did above them, the runs of the program behind them. */
function timeline(scene: TrialScene): string {
  const { lanes, marks, runs, endMs } = timelineOf(scene)
  const behind = runs.map(
    ({ from, to, run }) =>
      `<u class="${run % 2 === 0 ? 'even' : 'odd'}" style="left:${percent(from)};width:${percent(to - from)}" title="run ${run}"></u>`,
  )
  const lines = marks.map((m, i) => `<s style="left:${percent(m.at)}" title="${escaped(`${m.atMs} ms: ${m.what}`)}"><b>${i + 1}</b></s>`)
  const legend = marks.map((m) => `<li>${escaped(m.what)} (${(m.atMs / 1000).toFixed(1)} s)</li>`)
  const drawn = lanes.map(
    ({ name, items }) =>
      `<div class="lane"><span title="${escaped(name)}">${escaped(name)}</span><div>${items.map(item).join('')}</div></div>`,
  )
  return `<div class="timeline"><div class="scale">${behind.join('')}${lines.join('')}</div>${drawn.join('\n')}</div>
<p class="key"><i class="life"></i> stands <i class="change"></i> changes <i class="get"></i> read <i class="create"></i> create <i class="update"></i> update, patch <i class="delete"></i> delete <i class="update vain"></i> changed nothing <i class="update refused"></i> refused <i class="watch"></i> watch. ${(endMs / 1000).toFixed(1)} s in all; where nothing happens, time is cut short.</p>
${legend.length === 0 ? '' : `<ol class="marks">${legend.join('')}</ol>`}
<details><summary>${scene.calls.length} requests${scene.callsLeftOut === 0 ? '' : ` (${scene.callsLeftOut} more are left out)`}</summary><pre>${escaped(requests(scene))}</pre></details>
<details><summary>what it printed last</summary><pre>${escaped(scene.said || 'nothing')}</pre></details>`
}

function item({ from, to, kind, title, verb = '', refused, vain, faulty }: TimelineItem): string {
  const classes = [kind === 'request' ? verb : kind, refused && 'refused', vain && 'vain', faulty && 'faulty'].filter(Boolean).join(' ')
  const width = kind === 'life' || kind === 'watch' ? `;width:${percent(to - from)}` : ''
  return `<i class="${classes}" style="left:${percent(from)}${width}" title="${escaped(title)}"></i>`
}

const requests = ({ calls }: TrialScene) =>
  calls
    .map(({ atMs, life, verb, path, code, changed, fault }) => {
      const outcome = fault ?? (changed === false ? 'changed nothing' : '')
      return `${String(atMs).padStart(7)} ms  run ${life}  ${verb.padEnd(7)} ${path} → ${code ?? 'no answer'}${outcome === '' ? '' : ` (${outcome})`}`
    })
    .join('\n')

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

const STYLE = `
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: 90em; color: #222 }
h1 { font-size: 1.3em } .grade { display: inline-block; min-width: 1.6em; text-align: center; border-radius: 4px; color: #fff; background: #b3261e } .grade.A { background: #176f2c } .grade.B { background: #8a6d00 }
table.steps { border-collapse: collapse; width: 100%; table-layout: fixed } td { padding: .2em .8em; border-top: 1px solid #ddd; vertical-align: top }
td:first-child { width: 5em } td:last-child { width: 5em; text-align: right; color: #666 }
.passed td:first-child { color: #176f2c } .failed td:first-child { color: #b3261e; font-weight: bold } .why { color: #555; white-space: pre-wrap; overflow-wrap: anywhere } .failed .why { color: #b3261e }
.timeline { position: relative; overflow: hidden; padding-top: 1.6em } .lane { display: flex; border-top: 1px solid #eee; position: relative }
.lane span { width: 264px; flex: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font: 12px/20px monospace } .lane div { position: relative; flex: 1; height: 20px }
.scale { position: absolute; left: 264px; right: 0; top: 0; bottom: 0; font: 12px monospace }
.scale u { position: absolute; top: 1.6em; bottom: 0 } .scale u.even { background: #f3f5fa }
.scale s { position: absolute; top: 0; bottom: 0; border-left: 1px dashed #c77700; text-decoration: none } .scale s b { color: #c77700; padding-left: 2px; background: #fff }
i { position: absolute; top: 4px; height: 12px; width: 4px; margin-left: -1px; border-radius: 1px; background: #777 }
i.life { top: 8px; height: 4px; background: #bfe0c7; border-radius: 2px; margin: 0 } i.change { width: 2px; top: 5px; height: 10px; background: #5aa86c }
i.create { background: #176f2c } i.update, i.patch { background: #1a56c4 } i.delete, i.deletecollection { background: #b3261e }
i.watch { background: #dfe5f1; top: 6px; height: 8px; margin: 0 } i.vain { background: #fff; border: 1px solid #1a56c4; box-sizing: border-box; width: 6px } i.refused { border-top: 4px solid #b3261e; box-sizing: border-box }
i.faulty { outline: 1px solid #c77700 }
.key { color: #555 } .key i { position: static; display: inline-block; vertical-align: middle; margin-left: .6em } .key i.life, .key i.watch { width: 16px } ol.marks { columns: 3; color: #8a5200 }
pre { background: #f6f6f6; padding: 1em; overflow: auto; max-height: 30em; font-size: 12px }`
