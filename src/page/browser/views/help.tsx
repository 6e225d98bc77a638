import { Dialog } from '../parts/dialog.tsx'
import { bindings } from '../state/keyboard.ts'

/** The keys that mean something now. */
export const HelpDialog = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keys" class="help" onClose={onClose}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard */}
    <div class="keys" tabIndex={0}>
      <dl>
        {bindings.value.flat().map(({ keys, what }) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
    <button type="button" onClick={onClose}>
      Close
    </button>
  </Dialog>
)
