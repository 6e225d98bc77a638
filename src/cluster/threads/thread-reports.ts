import type { Family } from '../../base/exposition.ts'
import type { ControllerReport } from '../../resources/bowsprit/controller-report.ts'
import type { QueueReport } from '../../resources/bowsprit/queue-report.ts'
import type { SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import type { PartReports } from '../../server/reports/part-reports.ts'
import type { Exchange } from '../../threads/exchange.ts'
import type { Link, Services } from '../../threads/link.ts'

/** Open while that part of the thread that opens it can be asked. */
const RUNS = { scheduler: 'scheduler-decides', controllers: 'controllers-run' } as const
const ASK = {
  pod: 'scheduling-report',
  queue: 'queue-reports',
  controllers: 'controller-reports',
  controllerMetrics: 'controller-metrics',
  schedulerMetrics: 'scheduler-metrics',
} as const

/** Reports of the parts in this thread, for the API server at the other end of the link. */
export function offeredReports(link: Link): PartReports {
  const running: PartReports = { scheduler: undefined, controllers: undefined }
  const open: Partial<Record<keyof PartReports, Exchange>> = {}
  link.offer({
    async [ASK.pod]({ pod }, exchange) {
      exchange.end(JSON.stringify({ found: await running.scheduler?.report(String(pod)) }))
    },
    async [ASK.queue](_asked, exchange) {
      exchange.end(JSON.stringify({ found: (await running.scheduler?.queue()) ?? [] }))
    },
    async [ASK.controllers](_asked, exchange) {
      exchange.end(JSON.stringify({ found: (await running.controllers?.controllers()) ?? [] }))
    },
    async [ASK.controllerMetrics](_asked, exchange) {
      exchange.end(JSON.stringify({ found: (await running.controllers?.metrics()) ?? [] }))
    },
    async [ASK.schedulerMetrics](_asked, exchange) {
      exchange.end(JSON.stringify({ found: (await running.scheduler?.metrics()) ?? [] }))
    },
  })
  const announce = (part: keyof PartReports, runs: boolean) => {
    open[part]?.end()
    delete open[part]
    if (runs) open[part] = link.open(RUNS[part], {})
  }
  return {
    get scheduler() {
      return running.scheduler
    },
    set scheduler(present) {
      running.scheduler = present
      announce('scheduler', present !== undefined)
    },
    get controllers() {
      return running.controllers
    },
    set controllers(present) {
      running.controllers = present
      announce('controllers', present !== undefined)
    },
  }
}

/** Fills `reports` while a scheduler decides, or controllers run, at the other end of the link. */
export function reportServices(link: Link, reports: PartReports): Services {
  const asked = async <Found>(service: string, question: object = {}) => (await link.ask(service, question)).found as Found
  const scheduler = {
    report: (pod: string) => asked<SchedulingReport | undefined>(ASK.pod, { pod }),
    queue: () => asked<readonly QueueReport[]>(ASK.queue),
    metrics: () => asked<readonly Family[]>(ASK.schedulerMetrics),
  }
  const controllers = {
    controllers: () => asked<readonly ControllerReport[]>(ASK.controllers),
    metrics: () => asked<readonly Family[]>(ASK.controllerMetrics),
  }
  return {
    async [RUNS.scheduler](_asked, exchange) {
      reports.scheduler = scheduler
      await ended(exchange).finally(() => {
        reports.scheduler = undefined
      })
    },
    async [RUNS.controllers](_asked, exchange) {
      reports.controllers = controllers
      await ended(exchange).finally(() => {
        reports.controllers = undefined
      })
    },
  }
}

async function ended(exchange: Exchange): Promise<void> {
  await exchange.next()
  exchange.end()
}
