import { quiet } from '../../../../base/quiet.ts'
import type { ContainerProcess } from '../../program.ts'

/** A line on stderr as Go's `log` writes it: with the time in front. */
export function goLog(container: ContainerProcess, line: string): void {
  const [day = '', time = ''] = new Date(container.clock.now()).toISOString().split(/[T.]/)
  void quiet(container.stderr.write(`${day.replaceAll('-', '/')} ${time} ${line}\n`), 'the log may have ended')
}
