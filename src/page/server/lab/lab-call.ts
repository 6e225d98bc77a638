import { messageOf } from '../../../base/message-of.ts'
import type { LabAction, LabDone } from '../../wire/lab-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { Forks, Laboratory } from './forks.ts'

interface LabCallDeps {
  readonly action: LabAction
  readonly lab: Laboratory
  readonly forks: Forks
}

/** Does something with the cluster as a whole. */
export const labCall = (deps: LabCallDeps): Promise<LabDone> =>
  carryOut(deps).then(
    (file) => ({ message: '', file }),
    (error: unknown) => ({ message: shownText(messageOf(error)), file: '' }),
  )

/** Resolves with a file in base64, where it makes one. */
async function carryOut({ action, lab, forks }: LabCallDeps): Promise<string> {
  switch (action.kind) {
    case 'fork':
      await forks.make('as it was')
      return ''
    case 'drop':
      await forks.drop(action.name)
      return ''
    case 'advance':
      if (lab.advance === undefined) throw new Error('the time of this cluster is that of the machine')
      await lab.advance(action.ms)
      return ''
    case 'snapshot':
      return (await lab.snapshot()).toString('base64')
  }
}
