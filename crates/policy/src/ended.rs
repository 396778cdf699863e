//! Whether a function that has ended makes a call that C code makes after its end:
//! a destructor of one of its variables.
//!
//! The engine *observer* reports the end of a function before PHP destroys the
//! function's variables. At that time `current_execute_data` is the caller's again,
//! and the caller is still at the instruction that made the call. So calls from C
//! belong to the function that is being left. The object of a method call is released
//! last; its destructor is called by the caller, as in the engine *execute*.

/// Where the ended function's frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedFrame {
    /// On PHP's stack, below the frame of the new call.
    OnStack {
        /// The call that ended was a method call that releases its object.
        releases_its_object: bool,
    },
    /// Elsewhere: it was a generator.
    OfGenerator,
}

/// Where PHP is when C code makes the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the ended function itself: PHP frees a temporary after an exception, or an
    /// unused return value.
    Itself,
    /// In its caller, after a destructor that the ended function called.
    AfterItsDestructor,
    /// In its caller, which runs PHP code, at the instruction that made the call.
    AtItsCall,
    /// In its caller, which runs PHP code, where an exception is thrown.
    AtException,
    /// In its caller, which is C code.
    InC,
    /// At another instruction, or in another function.
    Elsewhere,
}

/// What C code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFromC {
    /// A destructor, or a generator that PHP closes.
    Destroys,
    /// Another function: a callback.
    Function,
    /// A generator that goes on.
    Generator,
}

/// Whether the ended function makes the call.
#[must_use]
pub fn is_made_by_ended(ended: EndedFrame, place: Place, call: CallFromC) -> bool {
    use EndedFrame::{OfGenerator, OnStack};
    match (place, call, ended) {
        (Place::Itself, _, _) => true,
        (Place::Elsewhere, _, _) => false,
        // The object of a method call is the caller's.
        (
            _,
            _,
            OnStack {
                releases_its_object: true,
            },
        ) => false,
        // Without a frame on the stack, only the instruction identifies the function.
        (Place::AfterItsDestructor | Place::AtException, _, OfGenerator) => false,
        (_, CallFromC::Destroys, _) => true,
        // A callback that a variable's destruction calls: the handler of a stream.
        (Place::AtItsCall | Place::AtException, CallFromC::Function, OnStack { .. }) => true,
        (_, CallFromC::Function | CallFromC::Generator, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::CallFromC::{Destroys, Function, Generator};
    use super::EndedFrame::{OfGenerator, OnStack};
    use super::Place::{AfterItsDestructor, AtException, AtItsCall, Elsewhere, InC, Itself};
    use super::*;

    const STACK: EndedFrame = OnStack {
        releases_its_object: false,
    };
    const METHOD: EndedFrame = OnStack {
        releases_its_object: true,
    };

    /// Everything that the ended function makes; it makes no other call.
    const MADE: [(Place, CallFromC, EndedFrame); 17] = [
        (Itself, Destroys, STACK),
        (Itself, Destroys, METHOD),
        (Itself, Destroys, OfGenerator),
        (Itself, Function, STACK),
        (Itself, Function, METHOD),
        (Itself, Function, OfGenerator),
        (Itself, Generator, STACK),
        (Itself, Generator, METHOD),
        (Itself, Generator, OfGenerator),
        (AfterItsDestructor, Destroys, STACK),
        (AtItsCall, Destroys, STACK),
        (AtItsCall, Destroys, OfGenerator),
        (AtItsCall, Function, STACK),
        (AtException, Destroys, STACK),
        (AtException, Function, STACK),
        (InC, Destroys, STACK),
        (InC, Destroys, OfGenerator),
    ];

    /// The same, as conditions: the rule as it stood in the engine.
    fn by_conditions(place: Place, call: CallFromC, ended: EndedFrame) -> bool {
        let is_on_stack = ended != OfGenerator;
        let releases_its_object = ended == METHOD;
        let destroys = call == Destroys;
        match place {
            Itself => return true,
            Elsewhere => return false,
            AfterItsDestructor => return is_on_stack && destroys && !releases_its_object,
            AtItsCall | AtException => {
                if place == AtException && !is_on_stack {
                    return false;
                }
                if !destroys && (!is_on_stack || call == Generator) {
                    return false;
                }
            }
            InC if !destroys => return false,
            InC => {}
        }
        !releases_its_object
    }

    #[test]
    fn the_ended_function_makes_these_calls_and_no_other() {
        for place in [
            Itself,
            AfterItsDestructor,
            AtItsCall,
            AtException,
            InC,
            Elsewhere,
        ] {
            for call in [Destroys, Function, Generator] {
                for ended in [STACK, METHOD, OfGenerator] {
                    let is_made = is_made_by_ended(ended, place, call);
                    let case = (place, call, ended);
                    assert_eq!(is_made, MADE.contains(&case), "{case:?}");
                    assert_eq!(is_made, by_conditions(place, call, ended), "{case:?}");
                }
            }
        }
    }
}
