import { row } from '../peers/table.ts'
import type { OthersChart } from './charts.ts'
import type { ChartTrial, Step } from './try-chart.ts'

const SHOWN: readonly Step[] = ['install', 'test', 'upgrade', 'rollback', 'uninstall']

/** A chart's row in the page. */
export function rowOf(
  { name, why }: OthersChart,
  { trial, version, missing }: { readonly trial: ChartTrial; readonly version: string; readonly missing: readonly string[] },
): string {
  const { done, failed, hooks, pods, tests } = trial
  const steps = SHOWN.filter((step) => done.includes(step) && (step !== 'test' || tests > 0))
  const notes = [
    ...(failed === undefined ? [] : [`${failed.step}: ${failed.why.slice(0, 300)}`]),
    ...(why === undefined ? [] : [why]),
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}, whose checkout was missing`]),
  ]
  return row([name, version, String(hooks), String(tests), String(pods), steps.join(', '), notes.join('; ')])
}

/** The same for a terminal, with the whole text of a failure. */
export function summaryOf({ name }: OthersChart, { done, failed, hooks, tests, pods, ms }: ChartTrial, missing: readonly string[]): string {
  const how = failed === undefined ? 'well' : `FAILED at ${failed.step}: ${failed.why}`
  const without = missing.length === 0 ? '' : `, without ${missing.join(', ')}`
  return `${name}: ${how} (${done.join(', ')}; ${hooks} hooks, ${tests} tests, ${pods} pods${without}; ${(ms / 1000).toFixed(0)} s)`
}
