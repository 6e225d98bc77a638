import type { KubeObject } from '../../machinery/object.ts'
import type { CustomResourceDefinition } from '../apiextensions/types.ts'

/** `extensions/v1beta1` ThirdPartyResource. */
export interface ThirdPartyResource extends KubeObject {
  description?: string
  versions?: { name?: string }[] | null
}

export interface ThirdPartyNames {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
}

/**
 * Parses the name of a ThirdPartyResource: `cron-tab.stable.example.com` is the kind CronTab of stable.example.com. Undefined if it has too
 * few parts.
 */
export function thirdPartyNames(name: string): ThirdPartyNames | undefined {
  const [first = '', ...domain] = name.split('.')
  if (domain.length < 2 || first === '') return undefined
  const kind = first
    .split('-')
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join('')
  const singular = kind.toLowerCase()
  return { group: domain.join('.'), kind, plural: pluralOf(singular), singular }
}

/** The plural as Kubernetes formed it then. */
function pluralOf(singular: string): string {
  if (singular.endsWith('s')) return `${singular}es`
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`
}

/** The CustomResourceDefinition that serves the same objects under the same names. */
export function definitionOf(resource: ThirdPartyResource): CustomResourceDefinition | undefined {
  const names = thirdPartyNames(resource.metadata.name ?? '')
  const versions = (resource.versions ?? []).map((v) => v.name ?? '').filter((v) => v !== '')
  if (names === undefined || versions.length === 0) return undefined
  const { group, kind, plural, singular } = names
  const all = { plural, singular, kind, listKind: `${kind}List` }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: all,
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            ...(resource.description ? { description: resource.description } : {}),
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      })),
      conversion: { strategy: 'None' },
    },
    status: { conditions: null, acceptedNames: all, storedVersions: versions.slice(0, 1) },
  }
}
