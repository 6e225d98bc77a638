import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { readOperatorReport } from '../../trial/operator-report.ts'
import { Notice } from '../parts/notice.tsx'
import { openedReport } from '../state/opened-report.ts'
import { bindScrollKeys } from '../state/walk-keys.ts'
import { OperatorReportPart } from '../trial/operator-report.tsx'

/** A report of `bowsprit test-operator --json`, from a file of this machine: no server sees it. */
export function TrialsView() {
  const problem = useSignal('')
  const isOver = useSignal(false)
  useLayoutEffect(bindScrollKeys, [])
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      openedReport.value = readOperatorReport(JSON.parse(await file.text()))
      problem.value = ''
    } catch (error) {
      problem.value = `${file.name}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = event.type === 'dragover'
      if (event.type === 'drop') void open(event.dataTransfer?.files[0])
    }
    const events = ['dragover', 'dragleave', 'drop'] as const
    for (const name of events) addEventListener(name, over)
    return () => {
      for (const name of events) removeEventListener(name, over)
    }
  }, [])
  const report = openedReport.value
  return (
    <section class="scrolled operator-report" aria-label="Trials">
      {report === undefined ? <h1>Trials</h1> : null}
      <p class={`drop-area ${isOver.value ? 'over' : ''}`}>
        <label>
          A report of <code>bowsprit test-operator --json FILE</code>, also with <code>--search</code>:{' '}
          <input type="file" accept=".json,application/json" onChange={({ currentTarget }) => void open(currentTarget.files?.[0])} />
        </label>{' '}
        or drop it here.
      </p>
      {problem.value === '' ? null : <Notice kind="problem">{problem.value}</Notice>}
      {report === undefined ? null : <OperatorReportPart of={report} />}
    </section>
  )
}
