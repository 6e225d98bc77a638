import { messageOf } from '../../../base/message-of.ts'
import type { LabAction, LabDone } from '../../wire/lab-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { Subscription } from '../subscription.ts'
import type { Forks, Laboratory } from './forks.ts'

interface LabCallDeps {
  readonly id: number
  readonly action: LabAction
  readonly lab: Laboratory
  readonly forks: Forks
  changed(): void
}

/** Something that is done with the cluster as a whole, once. */
export class LabCall implements Subscription {
  readonly #id: number
  #done: LabDone | undefined

  constructor(deps: LabCallDeps) {
    this.#id = deps.id
    const take = (done: LabDone) => {
      this.#done = done
      deps.changed()
    }
    carryOut(deps).then(
      (file) => take({ message: '', file }),
      (error: unknown) => take({ message: shownText(messageOf(error)), file: '' }),
    )
  }

  next() {
    return this.#done && ({ type: 'lab-done', id: this.#id, done: this.#done } as const)
  }

  stop(): void {}
}

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
