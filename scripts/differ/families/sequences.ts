import type { Step } from '../case.ts'
import { atVersion, type Subject } from '../subject.ts'
import { apply, patch, put, subresourceStep } from './changes.ts'
import { mergePatch } from './patches.ts'

/** Several managers apply, at every version of the resource, while others scale it and change it; the owners are read after each write. */
export function sequences(subject: Subject): Step[] {
  const { draw } = subject
  return draw
    .several(8, 14, () => {
      const one = atVersion(subject, draw.pick(subject.versions) ?? subject.kind)
      return [write(one), { do: 'GET', path: one.address } satisfies Step]
    })
    .flat()
}

function write(subject: Subject): Step {
  const { draw, kind } = subject
  const subresource = draw.pick(kind.subresources.filter(({ name }) => name === 'scale' || name === 'status'))
  if (subresource !== undefined && draw.chance(0.2)) return subresourceStep(subject, subresource)
  return (draw.pick([apply, apply, apply, patch('merge-patch', mergePatch), put]) ?? apply)(subject)
}
