import type { OperatorReport } from '../../trial/operator-report.ts'
import { SearchReportPart } from './search-report.tsx'
import { TrialReportPart } from './trial-report.tsx'

/** What `bowsprit test-operator` found out: a view of the page, and the file of `--html`. */
export function OperatorReportPart({ of }: { readonly of: OperatorReport }) {
  return of.kind === 'trial' ? <TrialReportPart report={of.report} /> : <SearchReportPart report={of.report} />
}
