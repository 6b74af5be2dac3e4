//! Loops that the lanes of a strip go through together though they leave them in different rounds.
//!
//! Each lane has a mark that says whether it is still in the loop, and the loop goes on while any is. The others compute
//! in vain, and nothing of that is kept. So only arithmetic stands in such a loop, and nothing is assumed of values.
//!
//! The parameters of a lane stay as they were in the round in which it left. So what the loop gives is found out after
//! it, by one more round, and the loop itself carries nothing but its parameters.

use super::writer::{InVain, Over, Writer};
use crate::ir::{Inst, InstKind, Region, Value};

impl Writer<'_> {
    /// Writes such a loop.
    pub(super) fn loop_in_vain(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let Over::Strip(width) = self.level().over else { return };
        let function = self.function;
        let params = function.regions[body].params.clone();
        let id = inst.index();
        self.declare_results(inst);
        self.code.line(format!("let mut live{id} = [1u32; {width}];"));
        self.each_lane(inst, |writer| {
            for (&param, &value) in params.iter().zip(initial) {
                let lanes = writer.lanes(value);
                let lanes: Vec<String> = lanes.into_iter().map(|lane| writer.mended_once(param, lane)).collect();
                writer.put(param, &lanes);
            }
        });
        if !self.facts().ends(inst) {
            self.code.line(format!("let mut fuel{id} = launch.rounds;"));
        }
        self.code.open(format!("'l{id}: loop {{"));
        self.count_round(inst, &format!("fuel{id}"));
        self.code.line("let mut any = 0u32;");
        self.code.line(format!("for i in 0..{width} {{ any |= live{id}[i]; }}"));
        self.code.line(format!("if any == 0 {{ break 'l{id}; }}"));
        // The next round has arrays of its own: what is chosen between an array's element and something else becomes a
        // store under a mask, which is slow on many machines.
        let carried = self.all_names(&params, 't');
        let arrays = self.all_names(&params, 'w');
        for (next, array) in carried.iter().zip(&arrays) {
            self.code.line(format!("let mut {next} = {array};"));
        }
        self.code.line(format!("let mut next{id} = live{id};"));
        self.open_round(width, body);
        self.code.line(format!("let mut stay = live{id}[j] != 0;"));
        self.code.line("let mut again = false;");
        for (next, now) in self.all_names(&params, 'u').iter().zip(self.all_names(&params, 'v')) {
            self.code.line(format!("let mut {next} = {now};"));
        }
        let before = std::mem::replace(&mut self.in_vain, InVain::Rounds);
        for &inner in &function.regions[body].insts {
            self.inst_in_vain(inst, inner);
        }
        for (next, value) in carried.iter().zip(self.all_names(&params, 'u')) {
            self.code.line(format!("{next}[j] = {value};"));
        }
        self.code.line(format!("next{id}[j] = again as u32;"));
        self.code.close("}");
        for (next, array) in carried.iter().zip(&arrays) {
            self.code.line(format!("{array} = {next};"));
        }
        self.code.line(format!("live{id} = next{id};"));
        self.code.close("}");
        if !function.insts[inst].results.is_empty() {
            self.open_round(width, body);
            self.code.line("let mut stay = true;");
            self.in_vain = InVain::Last;
            for &inner in &function.regions[body].insts {
                self.inst_in_vain(inst, inner);
            }
            self.code.close("}");
        }
        self.in_vain = before;
    }

    /// Opens the loop over the lanes for a round.
    fn open_round(&mut self, width: u32, body: Region) {
        let function = self.function;
        self.code.open(format!("for i in 0..{width}u32 {{"));
        self.code.line("let j = i as usize;");
        self.code.line("let x = xs.unchecked_add(i);");
        self.number_of_lane();
        self.load_needed(&function.regions[body].insts);
        for &param in &function.regions[body].params {
            for (name, array) in self.names(param, 'v').into_iter().zip(self.names(param, 'w')) {
                self.code.line(format!("let {name} = {array}[j];"));
            }
        }
    }

    /// Writes an instruction of the body of such a loop.
    fn inst_in_vain(&mut self, around: Inst, inst: Inst) {
        let function = self.function;
        let InstKind::If { condition, then, otherwise } = &function.insts[inst].kind else {
            self.inst(inst);
            return;
        };
        let leaves = |region: Region| {
            let last = function.terminator(region);
            matches!(last, Some(InstKind::Break(target, _) | InstKind::Continue(target, _)) if *target == around)
        };
        let (leaving, staying, not) = match (leaves(*then), leaves(*otherwise)) {
            (true, _) => (*then, *otherwise, ""),
            (_, true) => (*otherwise, *then, "!"),
            _ => {
                self.inst(inst);
                return;
            }
        };
        let condition = self.scalar(*condition);
        let id = inst.index();
        self.code.line(format!("let here{id} = stay;"));
        self.code.line(format!("let leaves{id} = stay & ({not}{condition});"));
        self.code.line(format!("stay = leaves{id};"));
        self.code.open("{");
        self.region(leaving);
        self.code.close("}");
        self.code.line(format!("stay = here{id} & !leaves{id};"));
        // What the other arm yields is computed by all.
        let (last, before) = match function.regions[staying].insts.split_last() {
            Some(parts) => parts,
            None => return,
        };
        for &inner in before {
            self.inst(inner);
        }
        let values = function.insts[*last].kind.passed().to_vec();
        for (&result, value) in function.insts[inst].results.iter().zip(values) {
            let lanes = self.lanes(value);
            self.define(result, lanes);
        }
    }

    /// Passes on what those lanes have that leave the loop or its round here.
    pub(super) fn leave_masked(&mut self, inst: Inst, target: Inst) {
        let given = self.given();
        let targets = self.level().plan.targets(&given, inst).unwrap_or_default();
        let kind = &self.function.insts[inst].kind;
        let goes_on = matches!(kind, InstKind::Continue(..));
        if goes_on != (self.in_vain == InVain::Rounds) {
            // In the rounds nothing is given, and after the last one nobody goes on.
            self.code.line("stay = false;");
            return;
        }
        let passed = kind.passed().to_vec();
        let lanes: Vec<Vec<String>> = passed.iter().map(|&value| self.lanes(value)).collect();
        for (&to, lanes) in targets.iter().zip(lanes) {
            let once = !goes_on && self.uniform[to];
            let old = match (goes_on, once) {
                (true, _) => self.names(to, 'u'),
                (false, true) => self.names(to, 'v'),
                (false, false) => self.names(to, 'w').into_iter().map(|array| array + "[j]").collect(),
            };
            let lanes = lanes.into_iter().map(|lane| self.mended_once(to, lane));
            let chosen = lanes.zip(&old).map(|(lane, old)| format!("if stay {{ {lane} }} else {{ {old} }}"));
            let chosen: Vec<String> = chosen.collect();
            if goes_on || once {
                self.assign(&old, &chosen);
            } else {
                self.put_outside(to, &chosen);
            }
        }
        debug_assert!(self.level().plan.masked[target]);
        if goes_on {
            self.code.line("again |= stay;");
        }
        self.code.line("stay = false;");
    }
}
