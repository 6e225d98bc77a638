import type { ProfilePlugins } from './profile.ts'

/** The extension points whose plugins have a time of their own. */
export type ExtensionPoint = 'Filter' | 'PostFilter' | 'Score' | 'Reserve' | 'Permit' | 'PreBind' | 'Bind'

/** How an extension point ended, in kube-scheduler's words. */
export type PointStatus = 'Success' | 'Unschedulable' | 'Error'

/** Takes how long the plugins of an extension point worked, in milliseconds of its own clock. */
export interface ExtensionPointTimes {
  now(): number
  /** How long the search for a node took, whether there is one or not. */
  chose(tookMs: number): void
  ran(point: ExtensionPoint, profile: ProfilePlugins, status: PointStatus, tookMs: number): void
}
