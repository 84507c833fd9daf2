import type { StepPhase } from '../../../definitions/workflow-run/schema.ts';

/** Colours follow what the reader prefers; what they say is also said by shapes and words. */
export const STYLE = `
svg{--ground:#fff;--node:#f6f8fa;--text:#1f2328;--soft:#59636e;--edge:#8c959f;--ok:#1a7f37;--bad:#cf222e;--run:#9a6700;--wait:#8250df;--idle:#818b98}
@media (prefers-color-scheme:dark){svg{--ground:#0d1117;--node:#161b22;--text:#e6edf3;--soft:#9198a1;--edge:#6e7681;--ok:#3fb950;--bad:#f85149;--run:#d29922;--wait:#a371f7;--idle:#6e7681}}
.ground{fill:var(--ground)}
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--text)}
.title{font-size:13px;font-weight:600}
.small{font-size:10px;fill:var(--soft)}
.edge{fill:none;stroke:var(--edge);stroke-width:1.4}
.then{stroke-dasharray:3 4}
.node>rect{fill:var(--node);stroke:var(--tone,var(--edge));stroke-width:1.6}
.frame>rect{fill:none;stroke:var(--tone,var(--edge));stroke-width:1.2;stroke-dasharray:6 4}
.succeeded{--tone:var(--ok)}.failed,.cancelled{--tone:var(--bad)}.running{--tone:var(--run)}.suspended{--tone:var(--wait)}.pending,.skipped,.omitted{--tone:var(--idle)}
.pending>rect,.skipped>rect,.omitted>rect{stroke-dasharray:4 3}
.failed>rect{stroke-width:2.4}
.skipped text,.omitted text{fill:var(--soft)}
.full{fill:var(--tone,var(--edge))}
.ring{fill:none;stroke:var(--tone,var(--edge));stroke-width:2}
.cut{fill:none;stroke:var(--node);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
`.trim();

/** Sixteen by sixteen; every phase has a shape of its own. */
export const ICONS: Readonly<Record<StepPhase, string>> = {
  Succeeded: '<circle class="full" cx="8" cy="8" r="8"/><path class="cut" d="M4.5 8.3l2.4 2.4 4.6-5"/>',
  Failed: '<path class="full" d="M5 0h6l5 5v6l-5 5H5l-5-5V5z"/><path class="cut" d="M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4"/>',
  Running: '<circle class="ring" cx="8" cy="8" r="7"/><path class="full" d="M5.8 4.4l6 3.6-6 3.6z"/>',
  Suspended: '<rect class="full" width="16" height="16" rx="3"/><path class="cut" d="M5.7 4.5v7M10.3 4.5v7"/>',
  Pending: '<circle class="ring" cx="8" cy="8" r="7" stroke-dasharray="3 2.5"/>',
  Skipped: '<circle class="ring" cx="8" cy="8" r="7"/><path class="ring" d="M4.6 8h6.8"/>',
  Omitted: '<circle class="ring" cx="8" cy="8" r="3"/>',
  Cancelled: '<circle class="ring" cx="8" cy="8" r="7"/><path class="ring" d="M3.3 12.7l9.4-9.4"/>',
};
