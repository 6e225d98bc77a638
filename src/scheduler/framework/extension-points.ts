/** The extension points of the framework in the order in which upstream fills them, by their names in a configuration. */
export const POINTS = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
  'placementGenerate',
  'placementScore',
] as const

export type Point = (typeof POINTS)[number]

/** `PreFilterPlugin`: what errors call the plugins of a point. */
export const pluginTypeOf = (point: Point): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`
