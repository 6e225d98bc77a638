import type { Json } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import { looseYaml } from '../loose-yaml.ts'
import { changedSample, type Subject, withOptions } from '../subject.ts'

/** Bodies in YAML of any style: created in dry runs, applied. */
export function yaml(subject: Subject): Step[] {
  const { draw, kind, address, sample } = subject
  const options = { fieldValidation: ['Strict', 'Warn', 'Ignore'] }
  return draw.several(6, 6, (): Step => {
    const body: Json = draw.chance(0.7) ? sample : changedSample(subject, 1)
    const text = looseYaml(draw, body)
    if (draw.chance(0.6)) {
      const path = withOptions(draw, `${kind.collection}?dryRun=All`, options)
      return { do: 'POST', path, headers: { 'content-type': 'application/yaml' }, text }
    }
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    return { do: 'PATCH', path: withOptions(draw, `${address}?fieldManager=m&dryRun=All`, options), headers, text }
  })
}
