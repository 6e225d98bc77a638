import { compileLabelSelector, type LabelSelector } from '../../machinery/selectors/label-selector.ts'

/** For a query; empty without a selector. */
export const selectorText = (selector: LabelSelector | undefined): string =>
  selector === undefined ? '' : compileLabelSelector(selector).toString()
