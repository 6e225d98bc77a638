import { humanDuration } from '../../../machinery/human-duration.ts'
import type {
  ControllerReport,
  PlannedStep,
  ReportedKey,
  ReportedReconciliation,
  ReportedWrite,
} from '../../../resources/bowsprit/controller-report.ts'
import type { ControllerKey, ControllerPage, ControllerWrite, PlanLine, Reconciled } from '../../wire/controller-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** What a controller does, as the page shows it. */
export function controllerPage(report: ControllerReport): ControllerPage {
  const { component, workers, working, waiting, delayed, failing, reconciled, failed, keys = [], recent = [] } = report
  return {
    component: shownText(component, 200),
    counts: { workers, working, waiting, delayed, failing, reconciled, failed },
    keys: keys.map(keyOf),
    recent: recent.map(reconciledOf),
  }
}

const keyOf = ({ key, state, until = '', failures = 0, error = '' }: ReportedKey): ControllerKey => ({
  key: shownText(key, 300),
  state,
  untilMs: Date.parse(until) || 0,
  failures,
  error: shownText(error),
})

const reconciledOf = ({
  key,
  time,
  tookMs,
  error = '',
  cause,
  plan = [],
  writes = [],
  unlisted = 0,
}: ReportedReconciliation): Reconciled => ({
  key: shownText(key, 300),
  timeMs: Date.parse(time) || 0,
  tookMs: tookMs ?? null,
  error: shownText(error),
  cause: cause === undefined ? null : { request: cause.requestTrail ?? '', revision: cause.revision },
  plan: planLines(plan),
  writes: writes.map(writeOf),
  unlisted,
})

const CALM: ReadonlySet<PlannedStep['step']> = new Set(['keep', 'wait', 'again'])

/** What is kept is joined in one line: it is most of a plan, and no news. */
function planLines(plan: readonly PlannedStep[]): readonly PlanLine[] {
  const kept = plan.filter(({ step }) => step === 'keep').length
  if (kept < 2) return plan.map(planLine)
  return [{ what: `keep ${kept} objects`, calm: true }, ...plan.filter(({ step }) => step !== 'keep').map(planLine)]
}

function planLine({ step, kind = '', namespace = '', name = '', afterMs = 0 }: PlannedStep): PlanLine {
  const object = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
  return { what: shownText(step === 'again' ? `again after ${humanDuration(afterMs)}` : `${step} ${object}`), calm: CALM.has(step) }
}

function writeOf({
  verb,
  group = '',
  version,
  resource,
  namespace = '',
  name = '',
  subresource = '',
  error = '',
}: ReportedWrite): ControllerWrite {
  const kind = group === '' ? resource : `${resource}.${group}`
  const path = [kind, ...(subresource === '' ? [] : [subresource]), `${namespace === '' ? '' : `${namespace}/`}${name}`].join(' ')
  return {
    what: shownText(`${verb} ${path}`),
    object: name === '' ? null : { group, version, resource, namespace, name },
    error: shownText(error),
  }
}
