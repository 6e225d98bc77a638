import { createRequire } from 'node:module'
import path from 'node:path'
import { pageFolder } from '../page/server/http/page-folder.ts'
import type { SearchReport } from './operator-search/search-operator.ts'
import type { OperatorTrialReport } from './operator-trial/test-operator.ts'

/**
 * The report as a page of one file: the rules, the permissions, the requests for each object, and a timeline for each broken rule; of a
 * search, each cause with the fewest steps that show it. It is the view *Trials* of Bowsprit's page.
 *
 * ```ts
 * const page = operatorTrialHtml(await testOperator({ command: ['./my-operator'], install: [], samples: [gadget] }))
 * ```
 */
export function operatorTrialHtml(report: OperatorTrialReport | SearchReport): string {
  const folder = pageFolder()
  if (folder === undefined) throw new Error('the page is not built: run `npm ci`, or `node scripts/build-page.mjs`')
  const { operatorReportFile } = createRequire(import.meta.url)(path.join(folder, 'report-file.cjs')) as {
    operatorReportFile(report: unknown): string
  }
  return operatorReportFile(report)
}
