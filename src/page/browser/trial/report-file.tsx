// The report of `bowsprit test-operator --html`: the page's view as a file that needs nothing else. Node loads the bundle of this.
import { renderToString } from 'preact-render-to-string'
import { readOperatorReport } from '../../trial/operator-report.ts'
import baseStyle from '../base.css'
import { OperatorReportPart } from './operator-report.tsx'
import trialStyle from './trial.css'

/** Nothing is loaded, and nothing runs, whatever an operator has printed. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The report as a page. @throws {ShapeError} if it is none */
export function operatorReportFile(value: unknown): string {
  const of = readOperatorReport(value)
  const title = of.kind === 'trial' ? `${of.report.command}: grade ${of.report.grade}` : `${of.report.findings.length} faults found`
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="content-security-policy" content={POLICY} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {/* Our own style sheets: as text, their quotes would be escaped. */}
        <style dangerouslySetInnerHTML={{ __html: baseStyle + trialStyle }} />
      </head>
      <body>
        <main class="operator-report">
          <OperatorReportPart of={of} />
        </main>
      </body>
    </html>
  )
  return `<!doctype html>\n${renderToString(page)}\n`
}
