import { signal } from '@preact/signals'
import type { OperatorReport } from '../../trial/operator-report.ts'

/** The report that was opened last in this tab. */
export const openedReport = signal<OperatorReport | undefined>(undefined)
