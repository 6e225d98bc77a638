import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

const ACCEPT = [
  ...[PROTOBUF, PROTOBUF, PROTOBUF, `${PROTOBUF},application/json`],
  ...['PartialObjectMetadata;v=v1', 'PartialObjectMetadataList;v=v1', 'PartialObjectMetadataList;v=v1beta1'].map(
    (form) => `${PROTOBUF};as=${form};g=meta.k8s.io`,
  ),
  `application/json;as=Table;v=v1;g=meta.k8s.io,${PROTOBUF}`,
]

/** Steps of another family that ask for protobuf and often send it. `JsonProxy` makes it of the JSON in the steps. */
export function inProtobuf(draw: Draw, steps: readonly Step[]): Step[] {
  return steps.map((step) => {
    const sent = step.body !== undefined && step.headers?.['content-type'] === undefined && step.do !== 'PATCH' && draw.chance(0.5)
    const accept = draw.chance(0.8) ? { accept: draw.pick(ACCEPT) ?? PROTOBUF } : {}
    return {
      ...step,
      headers: { ...step.headers, ...accept, ...(sent && { 'content-type': PROTOBUF }) },
      ...(step.during && { during: inProtobuf(draw, step.during) }),
    }
  })
}
