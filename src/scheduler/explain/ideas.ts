import { byText } from '../../base/by-text.ts'
import type { ChangeKind } from '../../resources/bowsprit/scheduling-report.ts'
import type { Change } from './change.ts'
import { addDevice } from './device-changes.ts'
import { addLabels, freeResources, removeTaint, uncordon } from './node-changes.ts'
import { addFriend, removePods } from './pod-changes.ts'
import type { Scratch } from './scratch.ts'

/** Which changes may help against a plugin's verdict; what they do is found by trying. */
export type Idea = (scratch: Scratch, row: number) => readonly Change[]

export const IDEAS: Readonly<Record<string, readonly Idea[]>> = {
  NodeUnschedulable: [uncordon],
  TaintToleration: [removeTaint, uncordon],
  NodeAffinity: [addLabels],
  NodeResourcesFit: [freeResources],
  NodePorts: [removePods],
  NodeVolumeLimits: [removePods],
  VolumeRestrictions: [removePods],
  PodTopologySpread: [removePods, addLabels],
  InterPodAffinity: [removePods, addFriend, addLabels],
  DynamicResources: [addDevice],
}

/** From what costs least to do to what costs most. */
export const ORDER: readonly ChangeKind[] = [
  'FreeResources',
  'Uncordon',
  'RemoveTaint',
  'AddLabel',
  'RemovePod',
  'AddPod',
  'AddDevice',
  'EnlargeNode',
  'AddNode',
]

/** The cheapest first. */
export const byCost = (a: Change, b: Change) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.cost - b.cost || byText(a.node, b.node)
