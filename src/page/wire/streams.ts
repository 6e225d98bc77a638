/** The next lines of a log; `from` is the number of the first. */
export interface LogsPage {
  readonly containers: readonly string[]
  readonly from: number
  readonly lines: readonly string[]
  readonly ended: boolean
  readonly problem: string
}

/** The next lines of a shell. */
export interface ShellPage extends Pick<LogsPage, 'from' | 'lines' | 'problem'> {
  readonly state: 'starting' | 'running' | 'ended'
}
