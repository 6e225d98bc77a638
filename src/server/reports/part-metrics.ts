import type { Clock } from '../../base/clock.ts'
import type { Family } from '../../base/exposition.ts'
import type { PartReports } from './part-reports.ts'

/** A part that takes longer is left out of the scrape. */
const PATIENCE_MS = 1000

/** The metrics of the controllers and of the scheduler, while they run. */
export const partMetrics = (reports: PartReports, clock: Clock) => async (): Promise<readonly Family[]> => {
  const running = [reports.controllers, reports.scheduler].filter((part) => part !== undefined)
  return joined((await Promise.all(running.map((part) => within(part.metrics(), clock)))).flat())
}

/** Series of the same name under one head: both parts have some names. */
function joined(families: readonly Family[]): Family[] {
  const byName = Map.groupBy(families, ({ name }) => name)
  return [...byName.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, samples: [first, ...others].flatMap(({ samples }) => [...samples]) }],
  )
}

async function within(found: Promise<readonly Family[]>, clock: Clock): Promise<readonly Family[]> {
  const late = Promise.withResolvers<readonly Family[]>()
  const cancel = clock.after(PATIENCE_MS, () => late.resolve([]))
  const known = found.catch(() => [])
  return Promise.race([known, late.promise]).finally(cancel)
}
