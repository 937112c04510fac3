"""Commands and element classes of OpenDSS with their properties, in the order of the format.

The order matters: a parameter without a name is the next property, and an abbreviated name is
the first one that begins with it. The lists are those of OpenDSS, SVN 3723.
"""

from functools import lru_cache

_RATED = "normamps emergamps faultrate pctperm repair basefreq enabled like"

PROPERTIES: dict[str, tuple[str, ...]] = {
    kind: tuple(names.split())
    for kind, names in {
        "line": "bus1 bus2 linecode length phases r1 x1 r0 x0 c1 c0 rmatrix xmatrix cmatrix switch "
        "rg xg rho geometry units spacing wires earthmodel cncables tscables b1 b0 seasons ratings "
        f"linetype {_RATED}",
        "transformer": "phases windings wdg bus conn kv kva tap %r rneut xneut buses conns kvs "
        "kvas taps xhl xht xlt xscarray thermal n m flrise hsrise %loadloss %noloadloss normhkva "
        "emerghkva sub maxtap mintap numtaps subname %imag ppm_antifloat %rs bank xfmrcode xrconst "
        f"x12 x13 x23 leadlag wdgcurrents core rdcohms seasons ratings {_RATED}",
        "xfmrcode": "phases windings wdg conn kv kva tap %r rneut xneut conns kvs kvas taps xhl "
        "xht xlt xscarray thermal n m flrise hsrise %loadloss %noloadloss normhkva emerghkva "
        "maxtap mintap numtaps %imag ppm_antifloat %rs x12 x13 x23 rdcohms seasons ratings like",
        "load": "phases bus1 kv kw pf model yearly daily duty growth conn kvar rneut xneut status "
        "class vminpu vmaxpu vminnorm vminemerg xfkva allocationfactor kva %mean %stddev cvrwatts "
        "cvrvars kwh kwhdays cfactor cvrcurve numcust zipv %seriesrl relweight vlowpu puxharm "
        "xrharm spectrum basefreq enabled like",
        "capacitor": "bus1 bus2 phases kvar kv conn cmatrix cuf r xl harm numsteps states "
        f"{_RATED}",
        "reactor": "bus1 bus2 phases kvar kv conn rmatrix xmatrix parallel r x rp z1 z2 z0 z "
        f"rcurve lcurve lmh {_RATED}",
        "generator": "phases bus1 kv kw pf kvar model vminpu vmaxpu yearly daily duty dispmode "
        "dispvalue conn status class vpu maxkvar minkvar pvfactor forceon kva mva xd xdp xdpp h d "
        "usermodel userdata shaftmodel shaftdata dutystart debugtrace balanced xrdp usefuel "
        "fuelkwh %fuel %reserve refuel dynamiceq dynout spectrum basefreq enabled like",
        "pvsystem": "phases bus1 kv irradiance pmpp %pmpp temperature pf conn kvar kva %cutin "
        "%cutout effcurve p-tcurve %r %x model vminpu vmaxpu balanced limitcurrent yearly daily "
        "duty tyearly tdaily tduty class usermodel userdata debugtrace varfollowinverter dutystart "
        "wattpriority pfpriority %pminnovars %pminkvarmax kvarmax kvarmaxabs kvdc kp pitol "
        "safevoltage safemode dynamiceq dynout controlmode amplimit amplimitgain spectrum basefreq "
        "enabled like",
        "vsource": "bus1 basekv pu angle frequency phases mvasc3 mvasc1 x1r1 x0r0 isc3 isc1 r1 x1 "
        "r0 x0 scantype sequence bus2 z1 z0 z2 puz1 puz0 puz2 basemva yearly daily duty model "
        "puzideal spectrum basefreq enabled like",
        "linecode": "nphases r1 x1 r0 x0 c1 c0 units rmatrix xmatrix cmatrix basefreq normamps "
        "emergamps faultrate pctperm repair kron rg xg rho neutral b1 b0 seasons ratings linetype "
        "like",
        "linegeometry": "nconds nphases cond wire x h units normamps emergamps reduce spacing "
        "wires cncable tscable cncables tscables seasons ratings linetype like",
        "wiredata": "rdc rac runits gmrac gmrunits radius radunits normamps emergamps diam seasons "
        "ratings capradius like",
    }.items()
}
"""The classes that are read; statements on all others are counted."""

_COMMANDS = (
    "new edit more m ~ select save show solve enable disable plot reset compile set dump open "
    "close redirect help quit ? next panel sample clear about calcvoltagebases setkvbase "
    "buildy get init export fileedit voltages currents powers seqvoltages seqcurrents "
    "seqpowers losses phaselosses cktlosses allocateloads formedit totals capacity classes "
    "userclasses zsc zsc10 zscrefresh ysc puvoltages varvalues varnames buscoords makebuslist "
    "makeposseq reduce interpolate alignfile top rotate vdiff summary distribute di_plot "
    "comparecases yearlycurves cd visualize closedi doscmd shell estimate reconductor "
    "addbusmarker uuids setloadandgenkv cvrtloadshapes nodediff rephase setbusxy updatestorage "
    "obfuscate latlongcoords batchedit pstcalc variable reprocessbuses clearbusmarkers relcalc "
    "var cleanup finishtimestep nodelist connect disconnect remove calcincmatrix "
    "refine_buslevels calclaplacian giscoords clearall comhelp newactor wait solveall abort "
    "clone"
)
COMMANDS = tuple(_COMMANDS.split())

INDEXED: dict[str, tuple[str, frozenset[str]]] = {
    "transformer": ("wdg", frozenset({"bus", "conn", "kv", "kva", "tap", "%r"})),
    "xfmrcode": ("wdg", frozenset({"conn", "kv", "kva", "tap", "%r"})),
    "linegeometry": ("cond", frozenset({"wire", "x", "h", "units"})),
}
"""Properties that belong to one winding or conductor, and the property that chooses it."""
ARRAYS = {
    "buses": "bus",
    "conns": "conn",
    "kvs": "kv",
    "kvas": "kva",
    "taps": "tap",
    "%rs": "%r",
    "wires": "wire",
}
"""Properties that set an indexed property of all windings or conductors at once."""
SYNONYMS = {"x12": "xhl", "x13": "xht", "x23": "xlt"}


@lru_cache(maxsize=4096)
def find_property(kind: str, name: str) -> str | None:
    """Return the property of a class by its name or an abbreviation."""
    return _find(name, PROPERTIES[kind])


@lru_cache(maxsize=4096)
def find_command(word: str) -> str | None:
    """Return a command by its name or an abbreviation."""
    return _find(word, COMMANDS)


def _find(word: str, names: tuple[str, ...]) -> str | None:
    if word in names:
        return word
    return next((name for name in names if name.startswith(word)), None)
