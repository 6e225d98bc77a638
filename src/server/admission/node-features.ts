import { goQuote } from '../../machinery/field-error.ts'
import { type AdmissionDeps, type AdmissionPlugin, refusal } from './plugin.ts'

/** A pod that is bound changes only in ways that its node can carry out: so the node must be known. */
export function nodeDeclaredFeatureValidator({ reader }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (r) =>
      r.operation === 'UPDATE' &&
      r.resource.group === '' &&
      r.resource.resource === 'pods' &&
      (r.subresource === '' || r.subresource === 'resize'),
    validate(request) {
      const node: string = request.object?.spec?.nodeName ?? ''
      if (node === '' || request.subresource !== 'resize') return
      if (reader.get('', 'nodes', '', node) === undefined) throw refusal(request, `node ${goQuote(node)} not found`)
    },
  }
}

const TOPOLOGY = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

/** Where a node stands is copied to the pod that is bound to it. */
export function podTopologyLabels({ reader }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    handles: (r) =>
      r.operation === 'CREATE' &&
      r.resource.group === '' &&
      ((r.resource.resource === 'pods' && (r.subresource === 'binding' || r.subresource === '')) || r.resource.resource === 'bindings'),
    mutate({ object, resource, subresource }) {
      if (object === undefined) return
      const isPod = resource.resource === 'pods' && subresource === ''
      const name: string = isPod ? (object.spec?.nodeName ?? '') : (object.target?.name ?? '')
      const labels = name === '' ? undefined : reader.get('', 'nodes', '', name)?.metadata.labels
      const copied = Object.fromEntries(TOPOLOGY.flatMap((key) => (labels?.[key] === undefined ? [] : [[key, labels[key]]])))
      if (Object.keys(copied).length > 0) object.metadata.labels = { ...object.metadata.labels, ...copied }
    },
  }
}
